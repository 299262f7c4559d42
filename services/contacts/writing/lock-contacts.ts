import type { Call } from '@roster/bus';
import {
  operations as contracts,
  uuidOf,
  type ContactOperation,
  type Operations,
  type PropertyValue,
} from '@roster/contracts';
import type { ConditionedResources, Session, Statement } from '@roster/storage';
import { contactColumns, contactJson, type ContactRow } from '../reading/contact.js';
import { lockDefinitions } from './definitions/definition-rows.js';
import { findByEmail, findByExternalId } from './find-contacts-by.js';
import { emailIn, externalIn, idIn, namesOf } from './names-of.js';
import type { ContactsService } from '../service.js';

/**
 * Locks what several operations of a transaction write, in the order of all other writes (definitions, then the turn, then
 * contacts), so that it does not deadlock with other transactions.
 *
 * @param call of the workspace
 *
 * @returns the IDs of the contacts that have the addresses and external IDs of the operations, by their names
 */
export async function lockContacts(
  { definitions }: ContactsService,
  { caller }: Call,
  operations: readonly ContactOperation[],
  inner: Session,
): Promise<Map<string, string>> {
  const workspaceId = uuidOf('workspace', caller.workspaceId);
  const undefinedNames = operations
    .flatMap((operation) => ('properties' in operation ? setNames(operation.properties) : []))
    .filter((name) => !definitions.has(workspaceId, name));
  if (undefinedNames.length > 0) await lockDefinitions(inner, workspaceId, []);
  const names = [...new Set(operations.flatMap(namesOf))];
  await inner.query(takeTurns, [[workspaceId]]);
  const holders = new Map<string, string>();
  const hold = (some: readonly string[], found: readonly (string | undefined)[]) => {
    for (const [at, name] of some.entries())
      if (found[at] !== undefined) holders.set(name, found[at]);
  };
  const addressed = names.filter((name) => emailIn(name) !== undefined);
  hold(
    addressed,
    await findByEmail(
      inner,
      addressed.map((name) => ({ workspaceId, emailKey: emailIn(name)! })),
    ),
  );
  const external = names.filter((name) => externalIn(name) !== undefined);
  hold(
    external,
    await findByExternalId(
      inner,
      external.map((name) => ({ workspaceId, externalId: externalIn(name) })),
    ),
  );
  const ids = names.flatMap((name) => idIn(name) ?? []);
  const locked = [...new Set([...ids, ...holders.values()])];
  if (locked.length > 0) await inner.query(lockContactRows, [workspaceId, locked]);
  return holders;
}

const setNames = (properties: Record<string, PropertyValue | null> = {}): string[] =>
  Object.keys(properties).filter((name) => properties[name] !== null);

const takeTurns: Statement = {
  name: 'contacts.take-turns',
  text: `
    select 1 from contacts.watermarks where workspace_id = any ($1::uuid[]) order by workspace_id for update`,
};

const lockContactRows: Statement = {
  name: 'contacts.lock-batch',
  text: `
    select 1 from contacts.contacts where workspace_id = $1 and id = any ($2::uuid[])
    order by workspace_id, id for update`,
};

type ChangeContact = Operations['contacts.update'] | Operations['contacts.delete'];

/** The contacts of calls with If-Match. */
export const lockedContacts: ConditionedResources<ChangeContact> = {
  get: contracts['contacts.get'],
  async lock(calls: readonly Call<{ contactId: string }>[], inner: Session) {
    const workspaceIds = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    await inner.query(takeTurns, [workspaceIds]);
    const rows = await inner.query<ContactRow & { n: number }>(lockMatched, [
      workspaceIds,
      calls.map(({ input }) => uuidOf('contact', input.contactId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, `{"contact":${contactJson(row)}}`]));
    return calls.map((_, index) => found.get(index + 1));
  },
};

/** In the order of their keys, so that two batches cannot deadlock. */
const lockMatched: Statement = {
  name: 'contacts.lock',
  text: `
    select i.n::int, ${contactColumns('c')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as i (workspace_id, id, n)
      join contacts.contacts c using (workspace_id, id)
    order by c.workspace_id, c.id for update of c`,
};
