import type { Call } from '@roster/bus';
import {
  contactBatchLimits,
  emailKey,
  invalidFields,
  uuidOf,
  type ContactOperation,
} from '@roster/contracts';
import type { Session, Statement } from '@roster/service/storage';
import { lockDefinitions } from '../definitions/definition-rows.js';
import { findByEmail } from '../find-by-email.js';
import type { ContactsService } from '../service.js';

/**
 * Locks what the operations of a batch write, in the order of all other writes (definitions, then the watermark or contacts), so
 * that a batch and other transactions do not wait for each other.
 *
 * @returns the IDs of the contacts that have the addresses of the operations
 *
 * @throws Fault `invalid` if the contacts are too large for one response
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
  const addresses = [...new Set(operations.flatMap(addressOf))];
  // A creation that has inserted one of the addresses, and then waits for a lock of the batch, would deadlock with it.
  if (addresses.length > 0) await inner.query(lockWatermark, [workspaceId]);
  const found = await findByEmail(
    inner,
    addresses.map((address) => ({ workspaceId, emailKey: address })),
  );
  const holders = new Map<string, string>();
  for (const [at, address] of addresses.entries())
    if (found[at] !== undefined) holders.set(address, found[at]);
  await lockRows(inner, workspaceId, operations, holders);
  return holders;
}

const setNames = (properties: Record<string, string | null> = {}): string[] =>
  Object.keys(properties).filter((name) => properties[name] !== null);

const addressOf = (operation: ContactOperation): string[] =>
  'email' in operation && operation.email !== undefined ? [emailKey(operation.email)] : [];

async function lockRows(
  inner: Session,
  workspaceId: string,
  operations: readonly ContactOperation[],
  holders: ReadonlyMap<string, string>,
): Promise<void> {
  const idOf = (operation: ContactOperation) =>
    'id' in operation && operation.id !== undefined
      ? uuidOf('contact', operation.id)
      : holders.get(addressOf(operation)[0]!);
  const ids = [...new Set([...operations.map(idOf), ...holders.values()])].filter(
    (id) => id !== undefined,
  );
  if (ids.length === 0) return;
  const rows = await inner.query<{ id: string; bytes: number }>(lockContactRows, [
    workspaceId,
    ids,
  ]);
  const bytesOf = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  let bytes = 0;
  for (const operation of operations)
    if (operation.action === 'update' || operation.action === 'upsert')
      bytes += bytesOf.get(idOf(operation) ?? '') ?? 0;
  const { contactBytes } = contactBatchLimits;
  if (bytes > contactBytes)
    throw invalidFields([
      {
        pointer: '/operations',
        message: `must update contacts of at most ${contactBytes} bytes together, not ${bytes}: send fewer operations`,
      },
    ]);
}

const lockWatermark: Statement = {
  name: 'contacts.lock-watermark',
  text: 'select 1 from contacts.watermarks where workspace_id = $1 for update',
};

const lockContactRows: Statement = {
  name: 'contacts.lock-batch',
  text: `
    select id, octet_length(tags::text) + octet_length(properties::text) as bytes
    from contacts.contacts where workspace_id = $1 and id = any ($2::uuid[])
    order by workspace_id, id for update`,
};
