import type { Call } from '@roster/bus';
import {
  emailKey,
  operations as contracts,
  referenceOf,
  uuidOf,
  type ContactOperation,
  type Operations,
} from '@roster/contracts';
import type { ConditionedResources, Session, Statement } from '@roster/storage';
import { contactColumns, contactJson, type ContactRow } from '../reading/contact.js';
import { lockDefinitions } from './definitions/definition-rows.js';
import { findByEmail } from './find-by-email.js';
import type { ContactsService } from '../service.js';

/**
 * Locks what several operations of a transaction write, in the order of all other writes (definitions, then the turn, then
 * contacts), so that it does not deadlock with other transactions.
 *
 * @param call of the workspace
 *
 * @returns the IDs of the contacts that have the addresses of the operations
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
  const addresses = [...new Set(operations.flatMap(addressesOf))];
  await inner.query(takeTurns, [[workspaceId]]);
  const found = await findByEmail(
    inner,
    addresses.map((address) => ({ workspaceId, emailKey: address })),
  );
  const holders = new Map<string, string>();
  for (const [at, address] of addresses.entries())
    if (found[at] !== undefined) holders.set(address, found[at]);
  const ids = operations.flatMap((operation) =>
    'id' in operation && operation.id !== undefined && referenceOf(operation.id) === undefined
      ? [uuidOf('contact', operation.id)]
      : [],
  );
  const locked = [...new Set([...ids, ...holders.values()])];
  if (locked.length > 0) await inner.query(lockContactRows, [workspaceId, locked]);
  return holders;
}

const setNames = (properties: Record<string, string | null> = {}): string[] =>
  Object.keys(properties).filter((name) => properties[name] !== null);

/** Those that the operation gives a contact, and that it names one by. */
const addressesOf = (operation: ContactOperation): string[] => [
  ...('email' in operation && operation.email !== undefined ? [emailKey(operation.email)] : []),
  ...('id' in operation && operation.id !== undefined
    ? [referenceOf(operation.id)].flatMap((of) => (of ? [of.emailKey] : []))
    : []),
];

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
