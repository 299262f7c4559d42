import { timeOfId } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { changeKey } from './conditions.js';
import { contactsOfWorkspace, type Search } from './search.js';

/** Whether an index alone shows how many contacts match, so that none is read. */
export const isIndexed = ({ conditions: [condition, ...others] }: Search): boolean =>
  others.length === 0 && ['created', 'changed'].includes(condition!);

interface PeriodTotal {
  total: number;
  totalIsEstimate?: true;
}

/**
 * Number of contacts that were created, or changed, in a period, from an index. It is exact if at most `limits.counted` contacts are in
 * the period, or before it and after it. Otherwise it is estimated between these bounds. Requires `isIndexed`.
 */
export async function countPeriod(database: Database, search: Search): Promise<PeriodTotal> {
  const { values, conditions, limits } = search;
  const isOfChanges = conditions[0] === 'changed';
  const [above, below] = isOfChanges ? values.slice(13, 15) : values.slice(5, 7);
  const bounds = [values[0], limits.counted + 1, above, below];
  const of = isOfChanges ? ofChanges : ofCreation;
  const [within] = await database.query<{ counted: number }>(of.within, bounds);
  if (within!.counted <= limits.counted) return { total: within!.counted };
  const [others] = await database.query<Others>(of.others, bounds);
  const { before, after, contacts } = others!;
  const totalMax = contacts - before - after;
  if (before <= limits.counted && after <= limits.counted) return { total: totalMax };
  const share = isOfChanges ? 0 : await shareOfPeriod(database, search, contacts);
  const total = Math.max(Math.min(Math.round(share * contacts), totalMax), within!.counted);
  return { total, totalIsEstimate: true };
}

/** Numbers of contacts outside of a period, up to one more than are counted, and in the workspace. */
interface Others {
  before: number;
  after: number;
  contacts: number;
}

/**
 * The part of the contacts of a workspace that PostgreSQL's statistics of IDs, which are ordered by time, have in a period. They are
 * about all workspaces: 0 in a workspace that has not most of the contacts, and before they exist.
 */
async function shareOfPeriod(
  database: Database,
  { values }: Search,
  contacts: number,
): Promise<number> {
  const [found] = await database.query<Histogram>(histogram, [values[0]]);
  if (!found || found.rows <= 0 || contacts < found.rows / 2) return 0;
  const { first, last } = found;
  const [above, below] = values.slice(5, 7) as [string, string];
  const position = (id: string) => positionIn(found.bounds, id);
  const whole = position(last) - position(first);
  const part = position(below < last ? below : last) - position(above > first ? above : first);
  return whole > 0 ? part / whole : 0;
}

interface Histogram {
  /** IDs between which there are equally many contacts. */
  bounds: string[];
  /** Number of contacts of all workspaces. */
  rows: number;
  /** The first and the last contact of the workspace. */
  first: string;
  last: string;
}

/** How many parts of the histogram precede an ID. */
function positionIn(bounds: readonly string[], id: string): number {
  const next = bounds.findIndex((bound) => bound > id);
  if (next === 0) return 0;
  if (next === -1) return bounds.length - 1;
  const [from, to] = [timeOfId(bounds[next - 1]!), timeOfId(bounds[next]!)];
  return next - 1 + (to > from ? (timeOfId(id) - from) / (to - from) : 0);
}

/** @param key of which an index has the order */
const periodOf = (name: string, key: string): { within: Statement; others: Statement } => ({
  within: {
    name: `contacts.count-${name}`,
    text: `
      select count(*)::int as counted from (
        select 1 from contacts.contacts
        where workspace_id = $1::uuid and ${key} > $3::uuid and ${key} < $4::uuid order by ${key} limit $2::int
      ) c`,
  },
  others: {
    name: `contacts.count-not-${name}`,
    text: `
      select ${contactsOfWorkspace} as contacts, (
        select count(*) from (
          select 1 from contacts.contacts
          where workspace_id = $1::uuid and ${key} <= $3::uuid order by ${key} desc limit $2::int
        ) c
      )::int as before, (
        select count(*) from (
          select 1 from contacts.contacts
          where workspace_id = $1::uuid and ${key} >= $4::uuid order by ${key} limit $2::int
        ) c
      )::int as after`,
  },
});

const ofCreation = periodOf('of-period', 'id');
const ofChanges = periodOf('changed', changeKey);

/** The statistics are those of all workspaces. No ID of them leaves this process. */
const histogram: Statement = {
  name: 'contacts.histogram-of-ids',
  text: `
    select s.histogram_bounds::text::uuid[] as bounds, t.reltuples::float8 as rows, (
        select id from contacts.contacts where workspace_id = $1::uuid order by id limit 1
      ) as first, (
        select id from contacts.contacts where workspace_id = $1::uuid order by id desc limit 1
      ) as last
    from pg_stats s join pg_class t on t.oid = 'contacts.contacts'::regclass
    where s.schemaname = 'contacts' and s.tablename = 'contacts' and s.attname = 'id' and s.histogram_bounds is not null`,
};
