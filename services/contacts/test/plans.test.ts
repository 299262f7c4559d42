import { faultOf, type Answer, type Call, type Json } from '@roster/bus';
import { contactCursor, encodeId, operations, operationsOf, uuidOf } from '@roster/contracts';
import { IdClock, openLog } from '@roster/process';
import { openDatabase, type Database, type Session } from '@roster/storage';
import { callAs, entriesReadAfterImport, throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { entities } from '../entities/index.js';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';
import { unsubscribeToken } from '../reading/unsubscribe-token.js';
import { serviceOn } from './service-on.js';

type Name = keyof (typeof operationsOf)['contacts'];

const batchCalls = 16;
const importedRows = 20_000;
const entriesMax = 40 * batchCalls;

for (const [statistics, workspaces, analyzed] of [
  ['none', 1, false],
  ['one contact', 1, true],
  ['many workspaces with one contact each', 60, true],
] as const) {
  test(`after an import without new statistics (${statistics}) operations read only their own rows`, async (t) => {
    await inTransaction(t, async (session) => {
      const workspaceIds = Array.from({ length: workspaces }, () => newId('workspace'));
      const contactIds: string[] = [];
      for (const workspaceId of workspaceIds)
        contactIds.push(contactIdIn(await call(session, workspaceId, 'contacts.create', first)));
      const inputs = inputsOf(contactIds[0]!);
      const taskOf = (name: Name) => (inner: Session) =>
        call(inner, workspaceIds[0]!, name, inputs[name]);
      const read = await entriesReadAfterImport(session, {
        analyzed,
        tables: ['contacts.contacts', 'contacts.contact_properties'],
        tasks: Object.fromEntries(names.map((name) => [name, taskOf(name)])),
        grow: () => importContacts(session, contactIds[0]!),
      });
      t.deepEqual(
        Object.entries(read).filter(([, entries]) => entries > entriesMax),
        [],
      );
    });
  });
}

/** All statements on one connection, so that no statistics are collected in between. */
async function inTransaction(
  t: ExecutionContext,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { url, drop } = await throwawayDatabase();
  t.teardown(drop);
  const log = openLog('contacts', 'error');
  const database = await openDatabase({ url, schema, poolMax: 2, entities, migrations, log });
  t.teardown(() => database.close());
  await database.transaction(work);
}

/** All but one, which reads as many contacts as it counts values of. */
const names = (Object.keys(operationsOf.contacts) as Name[]).filter(
  (name) => name !== 'contacts.property-values',
);
const ids = new IdClock();
const newId = (
  resource:
    | 'workspace'
    | 'contact'
    | 'contactProperty'
    | 'import'
    | 'suppression'
    | 'erasure'
    | 'contactAction',
) => encodeId(resource, ids.next());
/** Unknown: whether it is genuine is known after the look-ups. */
const tokenOf = (contactId: string) =>
  unsubscribeToken(
    uuidOf('workspace', newId('workspace')),
    uuidOf('contact', contactId),
    Buffer.alloc(32),
  );
const first = { email: 'first@example.com' };

/** The input of each operation, for an existing contact where it needs one. */
const inputsOf = (contactId: string): Record<Name, object> => ({
  'contacts.list': { limit: 5 },
  'contacts.find': { limit: 5, status: 'unsubscribed', sort: '-createdAt', counted: false },
  'contacts.page': {
    limit: 5,
    after: contactCursor.ofUuid(uuidOf('contact', contactId)),
    before: contactCursor.ofUuid(uuidOf('contact', contactId)),
    fromEnd: true,
    counted: true,
  },
  'contacts.export': {},
  'contacts.get': { contactId },
  // Conflicts: the contact with this address is looked up.
  'contacts.create': first,
  'contacts.upsert': { ...first, name: 'changed' },
  'contacts.batch': {
    operations: [
      { action: 'create', ...first },
      { action: 'upsert', ...first, name: 'changed' },
      { action: 'update', id: contactId, email: 'new@example.com' },
      { action: 'delete', id: contactId },
    ],
  },
  'contacts.update': { contactId, name: 'changed' },
  'contacts.delete': { contactId },
  'contacts.unsubscribe': { contactId },
  'contacts.resubscribe': { contactId },
  'unsubscribe-links.get': { token: tokenOf(contactId) },
  'unsubscribe-links.use': { token: tokenOf(contactId) },
  'unsubscribe-links.undo': {
    token: tokenOf(contactId),
    undo: `9${'0'.repeat(12)}.${'A'.repeat(22)}`,
  },
  'tags.list': { prefix: 'v' },
  'tags.rename': { tag: 'vip', name: 'x' },
  'tags.delete': { tag: 'vip' },
  'contact-properties.list': {},
  'contact-properties.get': { propertyId: newId('contactProperty') },
  'contacts.property-values': { property: 'plan', prefix: 'p' },
  'contact-properties.create': { name: 'plan', label: 'Plan' },
  'contact-properties.update': { propertyId: newId('contactProperty'), label: 'Plan' },
  'contact-properties.delete': { propertyId: newId('contactProperty') },
  'settings.get': {},
  'settings.update': { strictProperties: false },
  'contacts.audit-entries': { workspaceId: newId('workspace'), limit: 5 },
  'contacts.verify-outbox': {
    since: new Date().toISOString(),
    olderThanSeconds: 60,
    repair: false,
  },
  'contact-actions.create': { filter: { tag: ['vip'] }, change: { addTags: ['x'] } },
  'contact-actions.list': { limit: 5 },
  'contact-actions.get': { actionId: newId('contactAction') },
  'contact-actions.cancel': { actionId: newId('contactAction') },
  'imports.create': {},
  'imports.preview': { rows: [{ row: 1, contact: first }] },
  'imports.append': {
    importId: newId('import'),
    ordinal: 0,
    rows: [{ row: 1, contact: first }],
  },
  'imports.finish': { importId: newId('import'), chunks: 1, total: 1 },
  'imports.list': { limit: 5 },
  'imports.get': { importId: newId('import') },
  'imports.list-errors': { importId: newId('import') },
  'imports.cancel': { importId: newId('import') },
  'suppressions.list': { limit: 5 },
  'contacts.erase': { contactId },
  'contacts.usage': { workspaceId: newId('workspace'), from: '2026-01-01', to: '2026-12-31' },
  'contacts.delete-workspace': { workspaceId: newId('workspace') },
  'erasures.get': { erasureId: newId('erasure') },
  'suppressions.get': { suppressionId: newId('suppression') },
  'suppressions.create': { email: 'suppressed@example.com' },
  'suppressions.delete': { suppressionId: newId('suppression') },
  'suppressions.delete-by-email': { email: 'suppressed@example.com' },
  'suppressions.import': { emails: ['suppressed@example.com'] },
});

/** Answers a batch of calls within a session, as the service does. Refusals are answers too. */
async function call(
  session: Session,
  workspaceId: string,
  name: Name,
  input: object,
): Promise<Answer<unknown>> {
  const handle = handlers(serviceOn(session as Database))[name] as unknown as (
    calls: Call[],
  ) => Promise<Answer<unknown>[]>;
  // One call for the contact, and the others for unknown ones, because batches contain no two calls for the same row.
  const inputs: object[] = Array.from({ length: batchCalls }, (_, at) =>
    at > 0 && 'contactId' in input ? { ...input, contactId: newId('contact') } : input,
  );
  const calls: Call[] = inputs.map((each) => ({
    ...callAs({ workspaceId }),
    input: operations[name].input.parse(each),
  }));
  try {
    return (await handle(calls))[0];
  } catch (error) {
    return faultOf(error);
  }
}

/** Imports into the workspace of a contact, with addresses and IDs before and after its own. */
const importContacts = (session: Session, contactId: string) =>
  session.query(
    {
      name: 'test.import',
      text: `
        insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, created_at)
        select workspace_id, gen_random_uuid(), address, address, '', '[]', '{}', now()
        from contacts.contacts, lateral (select n || '@example.com' as address from generate_series(1, $2) n) a
        where id = $1`,
    },
    [uuidOf('contact', contactId), importedRows],
  );

const contactIdIn = (answer: Answer<unknown>): string => {
  const { contact } = JSON.parse((answer as Json).text) as { contact: { id: string } };
  return contact.id;
};
