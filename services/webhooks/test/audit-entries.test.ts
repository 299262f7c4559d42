import { encodeId, uuidOf, type AuditAction } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import {
  callAs,
  callAsSystem,
  failSince,
  makeWebhook,
  makeWorkspace,
  unknownId,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const ids = new IdClock();

test('records every change of a webhook, without tokens', async (t) => {
  const workspace = makeWorkspace();
  const { id, token } = await makeWebhook(bench(), workspace);
  const input = { webhookId: id };
  const { bus } = bench();
  const url = 'https://example.com/other';
  await bus.call('webhooks.update', { ...input, url }, contextOf(workspace));
  await bus.call('webhooks.disable', input, contextOf(workspace));
  await bus.call('webhooks.enable', input, contextOf(workspace));
  const rotation = { ...input, token: 'chosen-t0ken', overlapSeconds: 60 };
  await bus.call('webhooks.rotate-token', rotation, contextOf(workspace));
  await bus.call('webhooks.delete', input, contextOf(workspace));
  const entries = await entriesOf(workspace);
  t.deepEqual(
    entries.map(({ action }) => action),
    [
      'webhook.deleted',
      'webhook.token_rotated',
      'webhook.enabled',
      'webhook.disabled',
      'webhook.updated',
      'webhook.created',
    ],
  );
  t.true(entries.every(({ resourceId }) => resourceId === id));
  const [deleted, , , disabled, updated] = entries;
  const state = { url, events: ['CONTACT_CREATED'], disabledReason: null };
  t.like(deleted, { before: state, after: null });
  t.like(disabled, { before: state, after: { ...state, disabledReason: 'Disabled by a user.' } });
  t.like(updated, { before: { ...state, url: 'https://example.com/hooks' }, after: state });
  const text = JSON.stringify(entries);
  for (const secret of [token, 'chosen-t0ken']) t.false(text.includes(secret));
});

test('records the automatic disabling of a webhook once, with the actor type system', async (t) => {
  const workspace = makeWorkspace();
  const { bus } = bench();
  const [gone, failing] = [
    await makeWebhook(bench(), workspace),
    await makeWebhook(bench(), workspace),
  ];
  const reason = 'The receiver answered 410 Gone.';
  const shutOff = { ...workspace, webhookId: gone.id, reason };
  const context = { ...callAsSystem(), requestId: 'dispatcher-1' };
  await bus.call('webhooks.shut-off', shutOff, context);
  await bus.call('webhooks.shut-off', shutOff, context);
  for (let n = 0; n < 2; n += 1)
    await failSince(bench(), workspace, failing.id, Date.now() - 6 * 86_400_000);
  const entries = await entriesOf(workspace, 'webhook.disabled');
  t.deepEqual(
    entries.map(({ resourceId, actor, actorType, keyId: key, after }) => [
      ...[resourceId, actor, actorType, key],
      after?.['disabledReason'],
    ]),
    [
      [failing.id, null, 'system', null, 'All attempts failed for 5 days.'],
      [gone.id, null, 'system', null, reason],
    ],
  );
  t.is(entries[1]!.requestId, 'dispatcher-1');
  await bus.call('webhooks.enable', { webhookId: gone.id }, contextOf(workspace));
  t.like((await entriesOf(workspace))[0], { actor: userId, actorType: 'user' });
});

test('records a call that changed nothing as a reading of the token, which its response contains', async (t) => {
  const workspace = makeWorkspace();
  const { id, url } = await makeWebhook(bench(), workspace);
  const { bus } = bench();
  await bus.call('webhooks.update', { webhookId: id, url }, contextOf(workspace));
  await bus.call('webhooks.enable', { webhookId: id }, contextOf(workspace));
  const [read, ...others] = await entriesOf(workspace);
  t.like(read, { action: 'webhook.token_read', resourceId: id, before: null, after: null });
  t.deepEqual(
    others.map(({ action }) => action),
    ['webhook.created'],
  );
});

test('records a stored response that is returned again as a reading of the token, by the key and address that get it', async (t) => {
  const workspace = makeWorkspace();
  const { bus } = bench();
  const input = { webhookId: (await makeWebhook(bench(), workspace)).id };
  const created = { url: 'https://example.com/', events: ['CONTACT_CREATED' as const] };
  const calls = {
    'webhooks.create': created,
    'webhooks.update': { ...input, url: created.url },
    'webhooks.rotate-token': { ...input, overlapSeconds: 0 },
    'webhooks.disable': input,
    'webhooks.enable': input,
  };
  for (const [name, body] of Object.entries(calls)) {
    const call = (address: string) => {
      const context = { ...contextOf(workspace), idempotencyKey: `once-${name}`, address };
      return bus.call(name as 'webhooks.create', body as typeof created, context);
    };
    const { webhook } = await call('203.0.113.7');
    const before = (await entriesOf(workspace)).length;
    // Each operation comes from another address: reads by the same one are recorded once a minute.
    const address = `198.51.100.${before}`;
    t.deepEqual((await call(address)).webhook, webhook);
    await call(address);
    const entries = await entriesOf(workspace);
    t.is(entries.length, before + 1, name);
    t.like(entries[0], { action: 'webhook.token_read', resourceId: webhook.id, address, keyId });
  }
});

test('records no reading for the stored response of a deletion, or for a key that was used for something else', async (t) => {
  const workspace = makeWorkspace();
  const url = 'https://example.com/';
  const { webhook } = await bench().bus.call(
    'webhooks.create',
    { url, events: ['CONTACT_CREATED'] },
    { ...contextOf(workspace), idempotencyKey: 'first' },
  );
  const input = { webhookId: webhook.id };
  const remove = (context: object) =>
    bench().bus.call('webhooks.delete', input, { ...contextOf(workspace), ...context });
  await t.throwsAsync(remove({ idempotencyKey: 'first' }), { code: 'idempotency_key_reused' });
  await remove({ idempotencyKey: 'second' });
  await remove({ idempotencyKey: 'second' });
  t.deepEqual(
    (await entriesOf(workspace)).map(({ action }) => action),
    ['webhook.deleted', 'webhook.created'],
  );
});

test('records who read a token, once a minute for each key and address', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const read = (context: object) =>
    bench().bus.call('webhooks.get', { webhookId: id }, { ...contextOf(workspace), ...context });
  const reader = contextOf(workspace);
  for (let count = 0; count < 3; count += 1) await read(reader);
  // They travel in one batch.
  const other = { ...reader, address: '203.0.113.9' };
  await Promise.all([read(other), read(other), read(other)]);
  await read({ ...reader, address: '203.0.113.8' });
  await read({ ...reader, caller: { ...reader.caller, keyId: encodeId('key', ids.next()) } });
  const reads = await entriesOf(workspace, 'webhook.token_read');
  t.is(reads.length, 4);
  t.like(reads.at(-1), {
    actor: reader.caller.userId,
    keyId: reader.caller.keyId,
    address: '203.0.113.7',
    requestId: reader.requestId,
    resourceId: id,
    before: null,
    after: null,
  });
});

for (const [change, age] of [
  ['back', '30 minutes'],
  ['ahead and back', '-30 minutes'],
] as const)
  test.serial(
    `records another reading of a token after the clock was set ${change} by an hour`,
    async (t) => {
      const workspace = makeWorkspace();
      const { id } = await makeWebhook(bench(), workspace);
      const context = contextOf(workspace);
      const read = () => bench().bus.call('webhooks.get', { webhookId: id }, context);
      await read();
      await bench().database.em.execute(
        `update webhooks.audit_log set created_at = now() - interval '${age}' where resource_id = '${id}'`,
      );
      const { now } = Date;
      Date.now = () => now() - 3_600_000;
      try {
        await read();
      } finally {
        Date.now = now;
      }
      t.is((await entriesOf(workspace, 'webhook.token_read')).length, 2);
    },
  );

test('a webhook is read without its secrets, also one whose token cannot be decrypted, and nothing is recorded', async (t) => {
  const workspace = makeWorkspace();
  const { id, url } = await makeWebhook(bench(), workspace);
  const find = (webhookId: string, owner = workspace) =>
    bench().bus.call('webhooks.find', { webhookId }, contextOf(owner));
  const { webhook } = await find(id);
  t.like(webhook, { id, url, status: 'active' });
  t.false('token' in webhook || 'signingSecret' in webhook);
  await bench().database.em.execute(
    `update webhooks.webhooks set token_ciphertext = 'x' where id = '${uuidOf('webhook', id)}'`,
  );
  t.is((await find(id)).webhook.id, id);
  await t.throwsAsync(find(id, makeWorkspace()), { code: 'not_found' });
  await t.throwsAsync(find(unknownId()), { code: 'not_found' });
  t.deepEqual(await entriesOf(workspace, 'webhook.token_read'), []);
});

test('records no reading of an unknown webhook', async (t) => {
  const workspace = makeWorkspace();
  await t.throwsAsync(
    bench().bus.call('webhooks.get', { webhookId: unknownId() }, contextOf(workspace)),
  );
  t.deepEqual(await entriesOf(workspace), []);
});

const userId = encodeId('user', ids.next());
const keyId = encodeId('key', ids.next());
const contextOf = (workspace: Workspace) => ({
  ...callAs({ ...workspace, userId, keyId }),
  address: '203.0.113.7',
});

async function entriesOf({ workspaceId }: Workspace, action?: AuditAction) {
  const input = { workspaceId, limit: 100, ...(action !== undefined && { action }) };
  const { entries } = await bench().bus.call('webhooks.audit-entries', input, callAsSystem());
  return entries;
}
