import { invalidFields } from '@roster/contracts';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { errorOf } from '../../errors.js';

/** Arguments of a list that can be read whole, because its workspace can have at most 1,000 items. */
@ArgsType()
export class ListArguments {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of items from the start, 1 to 1,000; 1,000 by default.',
  })
  first?: number | null;

  @Field(() => ID, { nullable: true, description: 'Only items after the one with this ID.' })
  after?: string | null;
}

/**
 * @param all items in the order of their IDs
 * @param max maximum number of items
 * @throws GraphQLError `invalid` if `first` is out of bounds, or missing for more items
 */
export function listPage<Item extends { id: string }>(
  all: readonly Item[],
  { first, after }: ListArguments,
  max: number,
  requestId: string,
): Item[] {
  const rest = after == null ? all : all.filter(({ id }) => id > after);
  return rest.slice(0, countWithin(rest.length, { first }, max, requestId));
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
  throw errorOf(invalidFields([{ pointer: `/${name}`, message }]), requestId);
}
