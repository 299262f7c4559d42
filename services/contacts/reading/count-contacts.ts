import { Fault } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { matches } from './conditions.js';
import { beginning } from './page.js';
import { contactsOfWorkspace, type Search } from './search.js';

/** The number of contacts with a status or a single tag, which has counters; undefined for other searches. */
export async function countByCounter(
  database: Database,
  { values, conditions: [condition, ...others] }: Search,
): Promise<number | undefined> {
  if (others.length > 0) return undefined;
  const [workspaceId, , contained] = values;
  const tags = condition === 'tags' ? (JSON.parse(contained as string) as string[]) : [];
  const isStatus = condition === 'subscribed' || condition === 'unsubscribed';
  if (tags.length !== 1 && !isStatus) return undefined;
  // The unsubscribed contacts are counted with an empty tag.
  const [row] = await database.query<Counted>(withTag, [workspaceId, tags[0] ?? '']);
  return condition === 'subscribed' ? row!.contacts - row!.counted : row!.counted;
}

interface Counted {
  counted: number;
  /** Number of contacts in the workspace. */
  contacts: number;
}

/** Number of contacts that match among the first ones of the workspace, at most one more than are counted. */
export async function countFromStart(
  database: Database,
  { values, limits }: Search,
): Promise<number> {
  const [row] = await database.query<{ counted: number }>(fromStart, [
    ...values,
    limits.countedRows,
    limits.counted + 1,
  ]);
  return row!.counted;
}

/**
 * Number of contacts that match, for which all contacts of the workspace are read. Each statement reads a part of them, so that none
 * takes long, and what changes meanwhile counts as it is when it is read.
 *
 * @throws Fault `unavailable` if it takes too long
 */
export async function countAll(database: Database, { values, limits }: Search): Promise<number> {
  const until = performance.now() + limits.exactMs;
  let total = 0;
  let last: string | null = beginning;
  while (last !== null) {
    if (performance.now() >= until) throw uncounted(limits.exactMs);
    const [part]: CountedPart[] = await database.query<CountedPart>(ofPart, [
      ...values,
      last,
      limits.exactRows,
    ]);
    total += part!.counted;
    last = part!.last_id;
  }
  return total;
}

interface CountedPart {
  counted: number;
  /** The last contact that was read; null if no others follow. */
  last_id: string | null;
}

const uncounted = (exactMs: number): Fault =>
  new Fault(
    'unavailable',
    `The contacts that match cannot be counted in ${exactMs / 1000} seconds. Without count=exact, their number is estimated.`,
  );

const withTag: Statement = {
  name: 'contacts.count-with-tag',
  text: `
    select coalesce((select contacts from contacts.tag_counters where workspace_id = $1::uuid and tag = $2::text), 0)::float8 as counted,
      ${contactsOfWorkspace} as contacts`,
};

const ofPart: Statement = {
  name: 'contacts.count-part',
  text: `
    select (
        select count(*) from (
          select * from contacts.contacts
          where workspace_id = $1::uuid and id > $16::uuid order by id limit $17::int
        ) c where ${matches}
      )::int as counted, (
        select id from contacts.contacts
        where workspace_id = $1::uuid and id > $16::uuid order by id limit 1 offset $17::int - 1
      ) as last_id`,
};

const fromStart: Statement = {
  name: 'contacts.count-from-start',
  text: `
    select count(*)::int as counted from (
      select 1 from (
        select * from contacts.contacts where workspace_id = $1::uuid order by id limit $16::int
      ) c where ${matches} limit $17::int
    ) c`,
};
