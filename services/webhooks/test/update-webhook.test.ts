import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventKind, InputOf, Operations } from '@roster/contracts';
import test from 'ava';
import {
  callAs,
  callAsSystem,
  countChanges,
  getWebhook,
  makeWebhook,
  makeWorkspace,
  storedText,
  subscriptionsOf,
  unknownId,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

test('changes the events, and keeps url, token and createdAt', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace);
  const events: EventKind[] = ['CONTACT_DELETED', 'CONTACT_UPDATED'];
  t.deepEqual(await update(workspace, { webhookId: webhook.id, events }), { ...webhook, events });
  t.deepEqual(await getWebhook(bench(), workspace, webhook.id), { ...webhook, events });
});

test('changes the url, and keeps the rest', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace);
  const url = 'https://example.org/elsewhere';
  t.deepEqual(await update(workspace, { webhookId: webhook.id, url }), { ...webhook, url });
});

test('changes the payload, which is compact at first, and keeps the rest', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace);
  t.is(webhook.payload, 'compact');
  const changed = { ...webhook, payload: 'full' as const };
  t.deepEqual(await update(workspace, { webhookId: webhook.id, payload: 'full' }), changed);
  t.deepEqual(
    await update(workspace, { webhookId: webhook.id, events: webhook.events as EventKind[] }),
    changed,
  );
  t.is((await subscriptionsOf(bench(), workspace))[0]!.payload, 'full');
});

test('changes the description, removes it with null, and keeps the rest', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId, ...created } = await makeWebhook(bench(), workspace, {
    description: 'Billing',
  });
  t.is(created.description, 'Billing');
  const shown = async () => (await getWebhook(bench(), workspace, webhookId)).description;
  t.is((await update(workspace, { webhookId, description: 'Invoices' })).description, 'Invoices');
  t.is((await update(workspace, { webhookId, payload: 'full' })).description, 'Invoices');
  t.is(await shown(), 'Invoices');
  t.is((await update(workspace, { webhookId, description: null })).description, null);
  t.is(await shown(), null);
});

test('changes the rate, removes it with null, and tells dispatchers', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace, { ratePerSecond: 5 });
  const rateOf = async () => (await subscriptionsOf(bench(), workspace))[0]!.ratePerSecond;
  t.is(await rateOf(), 5);
  t.is((await update(workspace, { webhookId, ratePerSecond: 7 })).ratePerSecond, 7);
  t.is((await update(workspace, { webhookId, payload: 'full' })).ratePerSecond, 7);
  t.is(await rateOf(), 7);
  t.is((await update(workspace, { webhookId, ratePerSecond: null })).ratePerSecond, null);
  t.is(await rateOf(), null);
});

test('changes the filter, removes it with null, and tells dispatchers', async (t) => {
  const workspace = makeWorkspace();
  const filter = {
    tag: ['any:vip,customer'],
    property: { city: 'Paris', age: ['gte:18', 'lt:65'] },
  };
  const { id: webhookId } = await makeWebhook(bench(), workspace, { filter });
  const filterOf = async () => (await subscriptionsOf(bench(), workspace))[0]!.filter;
  t.deepEqual(await filterOf(), filter);
  const other = { changed: ['email'] };
  t.deepEqual((await update(workspace, { webhookId, filter: other })).filter, other);
  t.deepEqual((await update(workspace, { webhookId, payload: 'full' })).filter, other);
  t.deepEqual(await filterOf(), other);
  t.is((await update(workspace, { webhookId, filter: null })).filter, null);
  t.is(await filterOf(), null);
});

test('accepts an empty update', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace);
  t.deepEqual(await update(workspace, { webhookId: webhook.id }), webhook);
});

test('applies updates of one batch in their order', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  await Promise.all([
    update(workspace, { webhookId, url: 'https://example.com/1' }),
    update(workspace, { webhookId, events: ['CONTACT_DELETED'] }),
    update(workspace, { webhookId, url: 'https://example.com/2' }),
  ]);
  t.like(await getWebhook(bench(), workspace, webhookId), {
    url: 'https://example.com/2',
    events: ['CONTACT_DELETED'],
  });
});

test('applies both of two concurrent changes', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  const answers = await Promise.all([
    update(workspace, { webhookId, url: 'https://example.com/1' }),
    nextTurn().then(() => update(workspace, { webhookId, events: ['CONTACT_DELETED'] })),
  ]);
  const both = { url: 'https://example.com/1', events: ['CONTACT_DELETED'] };
  t.like(await getWebhook(bench(), workspace, webhookId), both);
  // The second one has seen the first.
  t.true(answers.some(({ url, events }) => url === both.url && events[0] === both.events[0]));
});

test('rejects an http URL, naming the field, and changes nothing', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace);
  const attempt = update(workspace, {
    webhookId: webhook.id,
    url: 'HTTP://example.com',
    events: ['CONTACT_DELETED'],
  });
  await t.throwsAsync(attempt, { code: 'invalid' });
  t.deepEqual(await getWebhook(bench(), workspace, webhook.id), webhook);
});

test('answers not_found for webhooks of other workspaces and unknown ones, and changes nothing', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const webhook = await makeWebhook(bench(), own);
  const changes = countChanges(bench(), other);
  const url = 'https://example.com/stolen';
  await t.throwsAsync(update(other, { webhookId: webhook.id, url }), { code: 'not_found' });
  await t.throwsAsync(update(own, { webhookId: unknownId(), url }), { code: 'not_found' });
  t.deepEqual(await getWebhook(bench(), own, webhook.id), webhook);
  t.is(changes(), 0);
});

test('broadcasts the change before it answers', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  const changes = countChanges(bench(), workspace);
  await update(workspace, { webhookId, url: 'https://example.com/1' });
  t.is(changes(), 1);
});

test('enables a disabled webhook when its URL changes', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId, url } = await makeWebhook(bench(), workspace);
  const { workspaceId } = workspace;
  await bench().bus.call(
    'webhooks.shut-off',
    { workspaceId, webhookId, reason: 'it answered 410' },
    callAsSystem(),
  );
  await update(workspace, { webhookId, url, events: ['CONTACT_DELETED'] });
  t.is((await subscriptionsOf(bench(), workspace))[0]!.disabledReason, 'it answered 410');
  await update(workspace, { webhookId, url: 'https://example.com/new' });
  t.is((await subscriptionsOf(bench(), workspace))[0]!.disabledReason, null);
});

test('answers a repeated Idempotency-Key with the first response, changes nothing, and stores no token in the clear', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId, token } = await makeWebhook(bench(), workspace);
  const once = { webhookId, url: 'https://example.com/once' };
  const first = await update(workspace, once, 'again');
  await update(workspace, { webhookId, url: 'https://example.com/later' });
  t.deepEqual(await update(workspace, once, 'again'), first);
  t.is((await getWebhook(bench(), workspace, webhookId)).url, 'https://example.com/later');
  t.false((await storedText(bench(), workspace)).includes(token));
});

async function update(
  workspace: Workspace,
  input: InputOf<Operations['webhooks.update']>,
  idempotencyKey?: string,
) {
  const context = callAs(workspace, idempotencyKey === undefined ? {} : { idempotencyKey });
  const { webhook } = await bench().bus.call('webhooks.update', input, context);
  return webhook;
}
