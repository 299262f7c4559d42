import type { Database, Statement } from '@roster/storage';
import {
  changeKey,
  emailOfFilter,
  externalIdOfFilter,
  hasBeginning,
  hasWords,
  inChanges,
  inPeriod,
  matches,
  matchesOthers,
  nameKeyOf,
  type Condition,
} from './conditions.js';
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
  const source = sourceOf(conditions);
  if (source === undefined) return undefined;
  const { covers, statement } = source;
  // More are read if the index does not cover all conditions.
  const max = limits.counted * (conditions.length === covers.length ? 1 : 2);
  const [gathering] = await database.query<Gathering>(statement, [
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
export const isGatherable = ({ conditions }: Search): boolean => sourceOf(conditions) !== undefined;

const sourceOf = (conditions: readonly Condition[]) =>
  sources.find(({ covers }) => covers.every((condition) => conditions.includes(condition)));

const ifRead = (reading: Reading): string => {
  const [key, direction = ''] = reading.split(' ');
  return `case $23::text when '${reading}' then ${key} end ${direction}`;
};

/**
 * Materialized without a limit: with one, PostgreSQL may read the workspace in its order instead of using the index.
 *
 * @param rows the contacts that the index finds
 * @param remaining which of them match
 */
function gather(name: string, rows: string, remaining = matches): Statement {
  return {
    name,
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

const inWorkspace = (condition: string): string =>
  `select * from contacts.contacts where workspace_id = $1::uuid and ${condition}`;

const withTags = 'tags @> $3::jsonb';
const withProperties = 'properties @> $4::jsonb';
const withAnyTags = 'tags @@ $12::jsonpath';
const withAnyProperties = 'properties @@ $13::jsonpath';

/**
 * Addresses and words of names are in different indexes. `union` reads all of both before its first row: without limits of their
 * own, the cost would grow with the contacts that match.
 *
 * @param addresses IDs of contacts that are found by their addresses
 */
const withText = (addresses: string): string => `
  with addressed as materialized (
    ${addresses}
  ), named as materialized (
    select id from contacts.contacts where workspace_id = $1::uuid and ${hasWords}
  )
  select c.* from (
    (select id from addressed limit $20::int) union (select id from named limit $20::int)
  ) found, lateral (select * from contacts.contacts where workspace_id = $1::uuid and id = found.id offset 0) c`;

/** Every parameter must occur. */
const withBeginning = withText(`
    select id from contacts.contacts where workspace_id = $1::uuid and ${hasBeginning} and coalesce($9::text, $10::text) is null`);
const withPart = withText(`
    select id from contacts.addresses where workspace_id = $1::uuid and address like $10::text and $8::text = $9::text`);

const indexed: Partial<Record<Condition, string>> = {
  tags: withTags,
  properties: withProperties,
  anyTags: withAnyTags,
  anyProperties: withAnyProperties,
};

const byValues = (name: string, ...covers: Condition[]) => ({
  covers,
  statement: gather(name, inWorkspace(covers.map((one) => indexed[one]).join(' and '))),
});

/** From the most selective to the least. */
const sources: { covers: Condition[]; statement: Statement }[] = [
  {
    covers: ['email'],
    statement: gather(
      'contacts.gather-by-email',
      inWorkspace(`email_key = ${emailOfFilter} collate "C"`),
    ),
  },
  {
    covers: ['externalId'],
    statement: gather(
      'contacts.gather-by-external-id',
      inWorkspace(`external_id = ${externalIdOfFilter} collate "C"`),
    ),
  },
  byValues('contacts.gather-by-tags-and-properties', 'tags', 'properties'),
  byValues('contacts.gather-by-tags-and-any-property', 'tags', 'anyProperties'),
  byValues('contacts.gather-by-any-tag-and-properties', 'anyTags', 'properties'),
  byValues('contacts.gather-by-tags', 'tags'),
  byValues('contacts.gather-by-properties', 'properties'),
  byValues('contacts.gather-by-any-tag-and-property', 'anyTags', 'anyProperties'),
  byValues('contacts.gather-by-any-tag', 'anyTags'),
  byValues('contacts.gather-by-any-property', 'anyProperties'),
  {
    covers: ['part'],
    statement: gather('contacts.gather-by-part', withPart, matchesOthers),
  },
  {
    covers: ['beginning'],
    statement: gather('contacts.gather-by-beginning', withBeginning, matchesOthers),
  },
  {
    covers: ['unsubscribed'],
    statement: gather(
      'contacts.gather-unsubscribed',
      inWorkspace(`status = 'unsubscribed' and ${inPeriod}`),
    ),
  },
  { covers: ['changed'], statement: gather('contacts.gather-changed', inWorkspace(inChanges)) },
  { covers: ['created'], statement: gather('contacts.gather-of-period', inWorkspace(inPeriod)) },
];
