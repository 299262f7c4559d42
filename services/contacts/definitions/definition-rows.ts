import { Contended } from '@roster/bus';
import { contactPropertiesMax, Fault } from '@roster/contracts';
import type { IdClock } from '@roster/service';
import type { Session, Statement } from '@roster/service/storage';
import { workspaceLocked } from '../workspace-locked.js';

/** The definitions of a workspace, none of which is added by others until the transaction ends. */
export interface LockedDefinitions {
  total: number;
  /** Those among the names asked for, with their ids. */
  found: Map<string, string>;
}

/**
 * Additions to the definitions of one workspace follow one another, so that none passes the limit.
 *
 * @param inner a transaction
 */
export async function lockDefinitions(
  inner: Session,
  workspaceId: string,
  names: readonly string[],
): Promise<LockedDefinitions> {
  try {
    await inner.query(lock, [workspaceId]);
  } catch (error) {
    // All calls of a batch wait for the same lock: one by one, each would wait as long again.
    throw error instanceof Contended ? workspaceLocked : error;
  }
  // A statement of its own: it sees what was committed while the lock was waited for.
  const [row] = await inner.query<{ total: number; names: string[]; ids: string[] }>(select, [
    workspaceId,
    names,
    contactPropertiesMax,
  ]);
  const { total, names: found, ids } = row!;
  return { total, found: new Map(found.map((name, at) => [name, ids[at]!])) };
}

/** Which of the names are defined. */
export async function findDefined(
  session: Session,
  wanted: readonly { workspaceId: string; name: string }[],
): Promise<{ workspace_id: string; name: string }[]> {
  return session.query(find, [
    wanted.map(({ workspaceId }) => workspaceId),
    wanted.map(({ name }) => name),
  ]);
}

/** Defines names as strings labelled by themselves. */
export async function insertDefinitions(
  inner: Session,
  ids: IdClock,
  workspaceId: string,
  names: readonly string[],
): Promise<void> {
  await inner.query(insert, [workspaceId, names.map(() => ids.next()), names]);
}

export const tooManyDefinitions = new Fault(
  'limit_reached',
  `A workspace can have at most ${contactPropertiesMax} contact properties.`,
);

const lock: Statement = {
  name: 'contact-properties.lock',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:contact-properties:' || $1, 0))`,
};

/** Counts no further than the limit: workspaces may have more from a time when there was none. */
const select: Statement = {
  name: 'contact-properties.count',
  text: `
    select
      (select count(*)::int from (
        select 1 from contacts.contact_properties where workspace_id = $1::uuid limit $3::int
      ) c) as total,
      coalesce(array_agg(name), '{}') as names, coalesce(array_agg(id), '{}') as ids
    from contacts.contact_properties where workspace_id = $1::uuid and name = any ($2::text[])`,
};

const find: Statement = {
  name: 'contact-properties.find',
  text: `
    select d.workspace_id, d.name
    from unnest($1::uuid[], $2::text[]) as asked (workspace_id, name)
      join contacts.contact_properties d
        on d.workspace_id = asked.workspace_id and d.name = asked.name collate "C"`,
};

/** Processes of the former release take no lock: what they define meanwhile is left as it is. */
const insert: Statement = {
  name: 'contact-properties.define',
  text: `
    insert into contacts.contact_properties (workspace_id, id, name, label)
    select $1::uuid, d.id, d.name, d.name from unnest($2::uuid[], $3::text[]) as d (id, name)
    on conflict (workspace_id, name) do nothing`,
};
