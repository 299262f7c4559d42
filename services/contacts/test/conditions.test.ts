import { operations, versionOf, type OutputOf } from '@roster/contracts';
import test from 'ava';
import {
  codeOf,
  contactsFor,
  create,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);

type Contact = OutputOf<(typeof operations)['contacts.get']>['contact'];
type Update = Omit<Partial<Contact>, 'id'>;

/** The version of a contact as stored, like the one in the ETag of GET. */
async function versionIn(workspace: Workspace, contactId: string): Promise<string> {
  const context = { caller: workspace.caller, requestId: 'test', deadline: Date.now() + 10_000 };
  const bytes = await running().bus.callRaw('contacts.get', { contactId }, context);
  return versionOf(operations['contacts.get'], bytes);
}

const update = (workspace: Workspace, contactId: string, change: Update, ...ifMatch: string[]) =>
  workspace.attempt('contacts.update', { contactId, ...change }, undefined, ifMatch);

async function newContact(more: object = {}) {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', more);
  return { workspace, contactId: contact.id };
}

const changes: Update[] = [
  { name: 'new' },
  { tags: ['b'] },
  { email: 'new@example.com' },
  { properties: { defined: 'new' } },
  { properties: { undefinedYet: 'new' } },
];

for (const change of changes)
  test(`an update of ${JSON.stringify(change)} is applied to the version in If-Match only`, async (t) => {
    const { workspace, contactId } = await newContact({ properties: { defined: '"1", 2' } });
    const first = await versionIn(workspace, contactId);
    t.is(codeOf(await update(workspace, contactId, change, 'unknown', first)), 'ok');
    const second = await versionIn(workspace, contactId);
    t.not(second, first);
    t.is(codeOf(await update(workspace, contactId, { name: 'x' }, first)), 'precondition_failed');
    t.is(codeOf(await update(workspace, contactId, { name: 'x' })), 'precondition_failed');
    t.is(await versionIn(workspace, contactId), second);
    t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
  });

test('of simultaneous updates of one version, in one batch and in several, one is applied', async (t) => {
  const { workspace, contactId } = await newContact();
  const version = await versionIn(workspace, contactId);
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      update(
        workspace,
        contactId,
        n % 3 === 0 ? { email: `${n}@example.com` } : { properties: { [`p${n % 5}`]: String(n) } },
        version,
      ),
    ),
  );
  const codes = outcomes.map(codeOf);
  t.deepEqual(codes.toSorted(), ['ok', ...Array<string>(39).fill('precondition_failed')]);
  const applied = outcomes[codes.indexOf('ok')] as { contact: Contact };
  t.deepEqual(await workspace.call('contacts.get', { contactId }), { contact: applied.contact });
});

test('a refused call does not affect the other calls of its batch, with and without a condition', async (t) => {
  const { workspace, contactId } = await newContact();
  const other = (await create(workspace, 'b@example.com')).contact.id;
  const version = await versionIn(workspace, other);
  const missing = 'cont_01jdd2wyr0fgysy41bd96rx7r1';
  const outcomes = await Promise.all([
    update(workspace, contactId, { name: 'stale' }, 'unknown'),
    update(workspace, other, { name: 'B' }, version),
    workspace.attempt('contacts.update', { contactId, name: 'A' }),
    update(workspace, missing, { name: 'C' }, version),
  ]);
  t.deepEqual(outcomes.map(codeOf), ['precondition_failed', 'ok', 'ok', 'not_found']);
  t.is((await workspace.call('contacts.get', { contactId })).contact.name, 'A');
});

test('a refused update defines no properties', async (t) => {
  const { workspace, contactId } = await newContact();
  const refused = await update(workspace, contactId, { properties: { city: 'x' } }, 'unknown');
  t.is(codeOf(refused), 'precondition_failed');
  t.deepEqual((await workspace.call('contact-properties.list', {})).properties, []);
});

test('a contact is deleted in the version in If-Match only', async (t) => {
  const { workspace, contactId } = await newContact();
  const remove = (version: string) =>
    workspace.attempt('contacts.delete', { contactId }, undefined, [version]);
  const version = await versionIn(workspace, contactId);
  await workspace.call('contacts.unsubscribe', { contactId });
  t.is(codeOf(await remove(version)), 'precondition_failed');
  t.is(codeOf(await remove(await versionIn(workspace, contactId))), 'ok');
  t.is(codeOf(await remove(version)), 'not_found');
});

test('a call that is repeated with its Idempotency-Key returns the first response, although the version has changed', async (t) => {
  const { workspace, contactId } = await newContact();
  const version = await versionIn(workspace, contactId);
  const repeat = (ifMatch: string[]) =>
    workspace.attempt('contacts.update', { contactId, name: 'once' }, 'k', ifMatch);
  const first = await repeat([version]);
  t.is(codeOf(first), 'ok');
  t.deepEqual(await repeat([version]), first);
  t.is(codeOf(await repeat([await versionIn(workspace, contactId)])), 'idempotency_key_reused');
});
