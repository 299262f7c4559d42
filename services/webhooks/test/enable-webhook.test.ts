import test from 'ava';
import {
  callAs,
  callAsSystem,
  countChanges,
  failSince,
  getWebhook,
  listWebhooks,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  unknownId,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const dayMs = 86_400_000;

test('disables and enables a webhook, returns the status in every read, and broadcasts the change', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace);
  t.like(webhook, { status: 'active', disabledReason: null });
  const changes = countChanges(bench(), workspace);
  const off = { ...webhook, status: 'disabled' as const, disabledReason: 'Disabled by a user.' };
  t.deepEqual(await call('webhooks.disable', workspace, webhook.id), off);
  t.is(changes(), 1);
  t.deepEqual(await getWebhook(bench(), workspace, webhook.id), off);
  const { token: _, signingSecret: __, ...listed } = off;
  t.deepEqual(await listWebhooks(bench(), workspace), [listed]);
  t.is(await reasonIn(workspace), 'Disabled by a user.');

  t.deepEqual(await call('webhooks.enable', workspace, webhook.id), webhook);
  t.is(changes(), 2);
  t.deepEqual(await getWebhook(bench(), workspace, webhook.id), webhook);
  t.is(await reasonIn(workspace), null);
});

test('disabling and enabling are idempotent', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  t.deepEqual(
    await call('webhooks.disable', workspace, id),
    await call('webhooks.disable', workspace, id),
  );
  t.deepEqual(
    await call('webhooks.enable', workspace, id),
    await call('webhooks.enable', workspace, id),
  );
});

test('keeps the first reason when a user disables a webhook that a 410 disabled, and enables it again', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  const { workspaceId } = workspace;
  const shutOff = { workspaceId, webhookId, reason: 'it answered 410' };
  await bench().bus.call('webhooks.shut-off', shutOff, callAsSystem());
  t.is((await call('webhooks.disable', workspace, webhookId)).disabledReason, 'it answered 410');
  t.like(await call('webhooks.enable', workspace, webhookId), {
    status: 'active',
    disabledReason: null,
  });
});

test('ignores failures before it was enabled, also in later reports of a dispatcher', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const longAgo = Date.now() - 6 * dayMs;
  t.deepEqual(await failSince(bench(), workspace, id, longAgo), { disabled: true });
  t.is((await call('webhooks.enable', workspace, id)).status, 'active');
  t.deepEqual(await failSince(bench(), workspace, id, longAgo), { disabled: false });
  t.is((await getWebhook(bench(), workspace, id)).status, 'failing');
  t.is((await call('webhooks.enable', workspace, id)).status, 'active');
});

test('answers not_found for webhooks of other workspaces and unknown ones, and changes nothing', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const { id } = await makeWebhook(bench(), own);
  const changes = countChanges(bench(), other);
  await t.throwsAsync(call('webhooks.disable', other, id), { code: 'not_found' });
  await t.throwsAsync(call('webhooks.disable', own, unknownId()), { code: 'not_found' });
  t.is(await reasonIn(own), null);
  await call('webhooks.disable', own, id);
  await t.throwsAsync(call('webhooks.enable', other, id), { code: 'not_found' });
  await t.throwsAsync(call('webhooks.enable', own, unknownId()), { code: 'not_found' });
  t.is(await reasonIn(own), 'Disabled by a user.');
  t.is(changes(), 0);
});

test('answers a repeated Idempotency-Key with the first response, and changes nothing', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const off = await call('webhooks.disable', workspace, id, 'off');
  const on = await call('webhooks.enable', workspace, id, 'on');
  t.deepEqual(await call('webhooks.disable', workspace, id, 'off'), off);
  t.is(await reasonIn(workspace), null);
  await call('webhooks.disable', workspace, id);
  t.deepEqual(await call('webhooks.enable', workspace, id, 'on'), on);
  t.is(await reasonIn(workspace), 'Disabled by a user.');
});

async function call(
  name: 'webhooks.enable' | 'webhooks.disable',
  workspace: Workspace,
  webhookId: string,
  idempotencyKey?: string,
) {
  const context = callAs(workspace, idempotencyKey === undefined ? {} : { idempotencyKey });
  const { webhook } = await bench().bus.call(name, { webhookId }, context);
  return webhook;
}

const reasonIn = async (workspace: Workspace) =>
  (await subscriptionsOf(bench(), workspace))[0]!.disabledReason;
