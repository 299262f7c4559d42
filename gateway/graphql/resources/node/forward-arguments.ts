import { invalidFields, pageMax } from '@roster/contracts';
import { ArgsType, Field, Int } from 'type-graphql';
import { errorOf } from '../../errors.js';

/** Arguments of a connection that is read in one direction. */
@ArgsType()
export class ForwardArguments {
  @Field(() => Int, { description: `Number of items from the start, 1 to ${pageMax}.` })
  first!: number;

  @Field(() => String, { nullable: true, description: 'Only items after this cursor.' })
  after?: string | null;
}

/** @throws GraphQLError `invalid` unless `first` is within bounds */
export function readForwardPage(
  { first, after }: ForwardArguments,
  requestId: string,
): { limit: number; after?: string } {
  if (first < 1 || first > pageMax) {
    const errors = [{ pointer: '/first', message: `must be between 1 and ${pageMax}` }];
    throw errorOf(invalidFields(errors), requestId);
  }
  return { limit: first, ...(after != null && { after }) };
}
