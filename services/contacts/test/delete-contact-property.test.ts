import { eventually } from '@roster/testing';
import { uuidOf } from '@roster/contracts';
import test from 'ava';
import { DefinitionCache, openDefinitionCache } from '../writing/definitions/definition-cache.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

const listed = async (workspace: Workspace) =>
  (await workspace.call('contact-properties.list', {})).properties;

const planIn = async (workspace: Workspace) =>
  (await listed(workspace)).find(({ name }) => name === 'plan')!.id;

test('deletes a definition once; contacts keep their values', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', {
    properties: { plan: 'pro', city: 'Paris' },
  });
  const propertyId = await planIn(workspace);
  const twice = await Promise.all([
    workspace.attempt('contact-properties.delete', { propertyId }),
    workspace.attempt('contact-properties.delete', { propertyId }),
  ]);
  t.deepEqual(twice.map(codeOf).toSorted(), ['not_found', 'ok']);
  t.deepEqual(
    (await listed(workspace)).map(({ name }) => name),
    ['city'],
  );
  t.deepEqual(await workspace.call('contacts.get', { contactId: contact.id }), { contact });
});

test('a contact with a deleted property defines it again', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { properties: { plan: 'pro' } });
  const propertyId = await planIn(workspace);
  await workspace.call('contact-properties.delete', { propertyId });
  await workspace.call('contacts.update', { contactId: contact.id, properties: { plan: 'free' } });
  t.not(await planIn(workspace), propertyId);
});

test('a repeated deletion with the same Idempotency-Key gets the first response', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'a@example.com', { properties: { plan: 'pro' } });
  const propertyId = await planIn(workspace);
  const remove = () => workspace.attempt('contact-properties.delete', { propertyId }, 'once');
  t.deepEqual(await remove(), { deleted: true });
  t.deepEqual(await remove(), { deleted: true });
});

test('other processes forget the definitions of a workspace when one is deleted', async (t) => {
  const workspace = newWorkspace(running().bus);
  const id = uuidOf('workspace', workspace.id);
  await create(workspace, 'a@example.com', { properties: { plan: 'pro' } });
  const ofAnother = openDefinitionCache(running().bus);
  await running().bus.link.nats.flush();
  ofAnother.add(id, [['plan', 'string']], ofAnother.version);
  const propertyId = await planIn(workspace);
  await workspace.call('contact-properties.delete', { propertyId });
  await eventually(() => !ofAnother.has(id, 'plan'));
  t.pass();
});

test('does not cache definitions that were read before a deletion', (t) => {
  const cache = new DefinitionCache();
  const { version } = cache;
  cache.forget('a');
  cache.add('a', [['plan', 'string']], version);
  t.false(cache.has('a', 'plan'));
  cache.add('a', [['plan', 'string']], cache.version);
  t.true(cache.has('a', 'plan'));
});

test('the number of cached names is bounded: the workspace that was added first is evicted first', (t) => {
  const cache = new DefinitionCache();
  const names = Array.from({ length: 1000 }, (_, n) => [`p${n}`, 'string'] as const);
  for (let n = 0; n < 120; n += 1) cache.add(`workspace-${n}`, names, cache.version);
  t.true(cache.size <= 50_000);
  t.false(cache.has('workspace-0', 'p0'));
  t.true(cache.has('workspace-119', 'p999'));
  cache.forgetAll();
  t.is(cache.size, 0);
});
