import type { Database, Statement } from '@roster/storage';
import { changeKey, nameKeyOf } from './conditions.js';
import { indexed, indexedBy, type IndexedContacts } from './indexed-contacts.js';
import {
  foundPage,
  inPosition,
  positionValues,
  readings,
  type FoundPage,
  type Reading,
  type Search,
} from './search.js';

/** All contacts that an index finds, at most as many as are requested, and how many of them match. */
export interface Gathering extends FoundPage {
  examined: number;
  matched: number;
}

/**
 * Reads the contacts that the index of the most selective conditions finds, and sorts those that match. Cheap if few match.
 *
 * @returns undefined if there are too many, or no index finds them: neither the page nor the number is known
 */
export async function gatherContacts(
  database: Database,
  search: Search,
): Promise<Gathering | undefined> {
  const { values, limit, offset, conditions, reading, limits } = search;
  const source = indexedBy(conditions);
  if (source === undefined) return undefined;
  // More are read if the index does not cover all conditions.
  const max = limits.counted * (conditions.length === source.covers.length ? 1 : 2);
  const [gathering] = await database.query<Gathering>(statements.get(source)!, [
    ...values,
    ...positionValues(search),
    max + 1,
    limit + 1,
    offset,
    reading,
  ]);
  const { examined, matched } = gathering!;
  return examined > max || matched > limits.counted ? undefined : gathering;
}

/** Whether an index finds the contacts that match one of the conditions. */
export const isGatherable = ({ conditions }: Search): boolean =>
  indexedBy(conditions) !== undefined;

const ifRead = (reading: Reading): string => {
  const [key, direction = ''] = reading.split(' ');
  return `case $23::text when '${reading}' then ${key} end ${direction}`;
};

/** Materialized without a limit: with one, PostgreSQL may read the workspace in its order instead of using the index. */
function gather({ name, rows, remaining }: IndexedContacts): Statement {
  return {
    name: `contacts.gather-${name}`,
    text: `
      with candidates as materialized (
        select id, email_key, ${nameKeyOf('name', 'id')} as name_key, ${changeKey} as change_key, ${remaining} as matches from (${rows}) c
      ), examined as materialized (
        select * from candidates limit $20::int
      ), sorted as (
        select id, row_number() over (order by ${readings.map(ifRead).join(', ')}) as at
        from examined
        where matches and ${inPosition('$23')}
        order by at limit $21::int offset $22::int
      ), matching as (
        select c.*, at from sorted,
          lateral (select * from contacts.contacts where workspace_id = $1::uuid and id = sorted.id offset 0) c
      )
      select page.*, (select count(*) from examined)::int as examined,
        (select count(*) from examined where matches)::int as matched
      from (${foundPage('matching', lastKey, '$21')}) page`,
  };
}

const lastKey = `case
  when starts_with($23::text, 'email_key') then email_key
  when starts_with($23::text, 'name_key') then ${nameKeyOf('name', 'id')}
  when starts_with($23::text, 'change_key') then (${changeKey})::text
  else id::text end`;

const statements = new Map(indexed.map((source) => [source, gather(source)]));
