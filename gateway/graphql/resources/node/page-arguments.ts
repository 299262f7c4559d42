import { invalidFields, pageMax, type FieldError } from '@roster/contracts';
import { ArgsType, Field, Int } from 'type-graphql';
import { errorOf } from '../../errors.js';

@ArgsType()
export class PageArguments {
  @Field(() => Int, {
    nullable: true,
    description: `Number of items from the start, 1 to ${pageMax}. Either \`first\` or \`last\` is required.`,
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only items after this cursor.' })
  after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: `Number of items from the end, 1 to ${pageMax}.`,
  })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'Only items before this cursor.' })
  before?: string | null;
}

/** A bounded page, counted from one end of the list. */
export interface PageRequest {
  limit: number;
  fromEnd: boolean;
  after?: string;
  before?: string;
}

/** @throws GraphQLError `invalid` unless exactly one of `first` and `last` is given and within bounds */
export function readPage(
  { first, after, last, before }: PageArguments,
  requestId: string,
): PageRequest {
  const errors: FieldError[] = [];
  const wrong = (name: string, message: string) => errors.push({ pointer: `/${name}`, message });
  if (first == null && last == null) wrong('first', 'is required unless last is given');
  if (first != null && last != null) wrong('last', 'must not be combined with first');
  for (const [name, count] of Object.entries({ first, last })) {
    if (count != null && (count < 1 || count > pageMax))
      wrong(name, `must be between 1 and ${pageMax}`);
  }
  if (errors.length > 0) {
    throw errorOf(invalidFields(errors), requestId);
  }
  return {
    limit: (first ?? last)!,
    fromEnd: first == null,
    ...(after != null && { after }),
    ...(before != null && { before }),
  };
}
