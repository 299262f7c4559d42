import type { Database, Statement } from '@roster/storage';
import { changeKey, matches } from './conditions.js';
import { contactsOfWorkspace, type Search } from './search.js';

/** Whether an index alone shows how many contacts match, so that none is read. */
export const isIndexed = ({ conditions: [condition, ...others] }: Search): boolean =>
  others.length === 0 && ['subscribed', 'unsubscribed', 'created', 'changed'].includes(condition!);

/** Number of contacts that match; undefined if more of them are in the index than are counted. Requires `isIndexed`. */
export async function countInIndex(
  database: Database,
  { values, conditions: [condition], limits }: Search,
): Promise<number | undefined> {
  const [workspaceId] = values;
  const [above, below] = condition === 'changed' ? values.slice(13, 15) : values.slice(5, 7);
  const statement = { created: ofPeriod, changed: ofChanges }[condition as string] ?? unsubscribed;
  const [row] = await database.query<Counted>(statement, [
    workspaceId,
    limits.counted + 1,
    above,
    below,
  ]);
  const { counted, contacts } = row!;
  if (counted > limits.counted) return undefined;
  return condition === 'subscribed' ? contacts - counted : counted;
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

const counted = (rows: string, max: string): string => `
  select count(*)::int as counted, ${contactsOfWorkspace} as contacts from (${rows} limit ${max}::int) c`;

const inIndex = (name: string, condition: string): Statement => ({
  name,
  text: counted(
    `
    select id from contacts.contacts
    where workspace_id = $1::uuid and id > $3::uuid and id < $4::uuid ${condition} order by id`,
    '$2',
  ),
});

const ofPeriod = inIndex('contacts.count-of-period', '');

const ofChanges: Statement = {
  name: 'contacts.count-changed',
  text: counted(
    `
    select 1 from contacts.contacts
    where workspace_id = $1::uuid and ${changeKey} > $3::uuid and ${changeKey} < $4::uuid order by ${changeKey}`,
    '$2',
  ),
};

/** The subscribed contacts are the others. */
const unsubscribed = inIndex('contacts.count-unsubscribed', `and status = 'unsubscribed'`);

const fromStart: Statement = {
  name: 'contacts.count-from-start',
  text: counted(
    `
    select 1 from (
      select * from contacts.contacts where workspace_id = $1::uuid order by id limit $16::int
    ) c where ${matches}`,
    '$17',
  ),
};
