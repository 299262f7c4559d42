import type { Session, Statement } from '@roster/storage';
import { matches } from '../reading/conditions.js';
import type { ClaimedAction } from './action-table.js';

/** Contacts that may match, whose locks decide. */
export interface Candidates {
  ids: string[];
  /** Number of contacts that were examined to find them. */
  examined: number;
  /** ID of the last contact that was examined. */
  position: string;
  isLast: boolean;
}

/**
 * Contacts of one transaction, which other writes of the workspace wait for, as those of a slice of an import.
 */
const candidatesMax = 250;
/** Contacts that one transaction examines, if few match. It locks nothing meanwhile. */
const examinedMax = 20_000;

/** The next contacts of a selection by IDs. */
export function nextOfSelection(ids: readonly string[], { position }: ClaimedAction): Candidates {
  const following = ids.filter((id) => id > position);
  const some = following.slice(0, candidatesMax);
  return {
    ids: some,
    examined: some.length,
    position: some.at(-1) ?? position,
    isLast: some.length === following.length,
  };
}

/**
 * The next contacts that match a filter, in the order of their IDs.
 *
 * @param conditions the result of `conditionValues`
 */
export async function nextMatching(
  conditions: readonly unknown[],
  { position, end_id: endId }: ClaimedAction,
  inner: Session,
): Promise<Candidates> {
  const [found] = await inner.query<Walked>(walk, [
    ...conditions,
    ...[position, endId, examinedMax, candidatesMax],
  ]);
  const { ids, last_at: lastAt, walked, walked_to: walkedTo } = found!;
  return ids.length === candidatesMax
    ? { ids, examined: lastAt!, position: ids.at(-1)!, isLast: false }
    : {
        ids,
        examined: walked ?? 0,
        position: walkedTo ?? position,
        isLast: (walked ?? 0) < examinedMax,
      };
}

interface Walked {
  ids: string[];
  /** Number of contacts that were read up to the last one of a full slice. */
  last_at: number | null;
  /** Number of contacts that were read, and the last of them, unless the slice is full. Null if there are none. */
  walked: number | null;
  walked_to: string | null;
}

const following = `
  select * from contacts.contacts where workspace_id = $1::uuid and id > $16::uuid and id <= $17::uuid
  order by id limit $18::int`;

/** Stops reading when enough are found. */
const walk: Statement = {
  name: 'contact-actions.walk',
  text: `
    with matching as (
      select id, at from (select c.*, row_number() over () as at from (${following}) c) c
      where ${matches} limit $19::int
    )
    select page.*, last.walked, last.walked_to
    from (select coalesce(array_agg(id::text order by at), '{}') as ids, max(at)::int as last_at from matching) page
      left join lateral (
        select n::int as walked, id::text as walked_to
        from (select id, row_number() over () as n from (${following}) c) c
        where cardinality(page.ids) < $19::int order by n desc limit 1
      ) last on true`,
};
