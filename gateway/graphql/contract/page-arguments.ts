import { invalidFields, pageMax, type FieldError } from '@roster/contracts';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { errorOf } from '../errors.js';

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
  if (first < 1 || first > pageMax)
    throw invalid([{ pointer: '/first', message: `must be between 1 and ${pageMax}` }], requestId);
  return { limit: first, ...(after != null && { after }) };
}

/** Arguments of a connection that is read from either end. */
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
  for (const [name, count] of Object.entries({ first, last }))
    if (count != null && (count < 1 || count > pageMax))
      wrong(name, `must be between 1 and ${pageMax}`);
  if (errors.length > 0) throw invalid(errors, requestId);
  return {
    limit: (first ?? last)!,
    fromEnd: first == null,
    ...(after != null && { after }),
    ...(before != null && { before }),
  };
}

/** Arguments of a list that can be read whole while its workspace has few items. */
@ArgsType()
export class ListArguments {
  @Field(() => Int, {
    nullable: true,
    description: `Number of items from the start, 1 to ${pageMax}. Required if there are more than ${pageMax}.`,
  })
  first?: number | null;

  @Field(() => ID, { nullable: true, description: 'Only items after the one with this ID.' })
  after?: string | null;
}

/**
 * @param all items in the order of their IDs
 * @throws GraphQLError `invalid` if `first` is out of bounds, or missing for more items
 */
export function listPage<Item extends { id: string }>(
  all: readonly Item[],
  { first, after }: ListArguments,
  requestId: string,
): Item[] {
  const rest = after == null ? all : all.filter(({ id }) => id > after);
  return rest.slice(0, countWithin(rest.length, { first }, pageMax, requestId));
}

/**
 * Number of items of a list to return.
 *
 * @param given the argument for it, by its name
 * @throws GraphQLError as `listPage`
 */
export function countWithin(
  length: number,
  given: Record<string, number | null | undefined>,
  max: number,
  requestId: string,
): number {
  const [name, count] = Object.entries(given)[0]!;
  const isWithin = count == null ? length <= max : count >= 1 && count <= max;
  if (isWithin) return count ?? length;
  const most = max.toLocaleString('en-US');
  const message =
    count == null
      ? `is required, because the list has more than ${most} entries`
      : `must be between 1 and ${most}`;
  throw invalid([{ pointer: `/${name}`, message }], requestId);
}

export const invalid = (errors: FieldError[], requestId: string) =>
  errorOf(invalidFields(errors), requestId);

/** Arguments that are null are those that are not given. */
export const withoutNull = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
