import { uuidOf, type InputOf, type Operations } from '@roster/contracts';
import test from 'ava';
import { requireKeysInUse } from '../secrets/keys-in-use.js';
import { reencryptTokens } from '../secrets/reencrypt-tokens.js';
import { TokenCipher } from '../secrets/token-cipher.js';
import {
  callAs,
  callAsSystem,
  countChanges,
  getWebhook,
  listWebhooks,
  makeTokenKey,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const reencrypted = webhooksBench(test);
const headers = { Authorization: 'Bearer abcdef', 'X-Key': 'first-key' };

test('returns the names of headers, and their values to dispatchers only', async (t) => {
  const workspace = makeWorkspace();
  const created = await makeWebhook(bench(), workspace, { headers });
  t.deepEqual(created.headerNames, ['Authorization', 'X-Key']);
  const shown = [
    created,
    await getWebhook(bench(), workspace, created.id),
    await listWebhooks(bench(), workspace),
    await entriesOf(workspace),
  ];
  t.notRegex(JSON.stringify(shown), /abcdef|first-key/);
  t.deepEqual((await subscriptionsOf(bench(), workspace))[0]!.headers, headers);
});

test('stores headers encrypted, bound to their webhook', async (t) => {
  const workspace = makeWorkspace();
  const first = await makeWebhook(bench(), workspace, { headers });
  await makeWebhook(bench(), workspace, { headers: { 'X-Other': 'o' } });
  const rows = await bench().database.query<{ row: string }>(
    {
      name: 'test.rows',
      text: `select w::text as row from webhooks.webhooks w where workspace_id = $1`,
    },
    [uuidOf('workspace', workspace.workspaceId)],
  );
  t.is(rows.length, 2);
  t.notRegex(JSON.stringify(rows), /abcdef/);
  // The headers of one webhook are unreadable in the row of another.
  const text = `update webhooks.webhooks w set headers_ciphertext = f.headers_ciphertext
    from webhooks.webhooks f where w.workspace_id = $1 and f.workspace_id = $1 and f.id = $2`;
  await bench().database.query({ name: 'test.move', text }, [
    uuidOf('workspace', workspace.workspaceId),
    uuidOf('webhook', first.id),
  ]);
  const known = await subscriptionsOf(bench(), workspace);
  t.deepEqual(
    known.map((one) => one.headers),
    [headers, null],
  );
});

test('an update sets the given headers, removes those that are null, and keeps the others', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace, { headers });
  const changes = countChanges(bench(), workspace);
  const changed = await update(workspace, {
    webhookId,
    headers: { 'x-key': 'k2', authorization: null, 'X-New': 'n' },
  });
  t.deepEqual(changed.headerNames, ['x-key', 'X-New']);
  t.deepEqual((await subscriptionsOf(bench(), workspace))[0]!.headers, {
    'x-key': 'k2',
    'X-New': 'n',
  });
  await update(workspace, { webhookId, payload: 'full' });
  await update(workspace, { webhookId, headers: {} });
  t.deepEqual((await getWebhook(bench(), workspace, webhookId)).headerNames, ['x-key', 'X-New']);
  const none = await update(workspace, { webhookId, headers: { 'X-KEY': null, 'x-new': null } });
  t.deepEqual(none.headerNames, []);
  t.deepEqual((await subscriptionsOf(bench(), workspace))[0]!.headers, {});
  // Dispatchers forget the former values.
  t.true(changes() >= 2);
});

test('records which headers were changed, also if only a value was, and no value', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace, { headers });
  await update(workspace, { webhookId, headers: { 'X-Key': 'secret-2' } });
  // Changes nothing.
  await update(workspace, { webhookId, headers: { 'X-Key': 'secret-2' } });
  const entries = (await entriesOf(workspace)).filter(({ action }) => action === 'webhook.updated');
  t.is(entries.length, 1);
  t.deepEqual((entries[0]!.after as { changedHeaders: string[] }).changedHeaders, ['X-Key']);
  t.notRegex(JSON.stringify(await entriesOf(workspace)), /secret-2|first-key/);
});

test('refuses an update that would leave too many headers', async (t) => {
  const workspace = makeWorkspace();
  const many = (start: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${start + n}`, 'v']));
  const { id: webhookId } = await makeWebhook(bench(), workspace, { headers: many(0, 8) });
  await t.throwsAsync(update(workspace, { webhookId, headers: many(8, 3) }), { code: 'invalid' });
  t.is((await getWebhook(bench(), workspace, webhookId)).headerNames!.length, 8);
  t.is((await update(workspace, { webhookId, headers: many(8, 2) })).headerNames!.length, 10);
});

test('headers that cannot be decrypted are replaced by an update that names each of them', async (t) => {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace, { headers });
  const text = `update webhooks.webhooks set headers_ciphertext = 'test.AAAA' where workspace_id = $1`;
  await bench().database.query({ name: 'test.break', text }, [
    uuidOf('workspace', workspace.workspaceId),
  ]);
  t.is((await subscriptionsOf(bench(), workspace))[0]!.headers, null);
  await t.throwsAsync(update(workspace, { webhookId, headers: { 'X-Key': 'k2' } }), {
    code: 'conflict',
  });
  await update(workspace, { webhookId, headers: { 'X-Key': 'k2', Authorization: null } });
  t.deepEqual((await subscriptionsOf(bench(), workspace))[0]!.headers, { 'X-Key': 'k2' });
});

test('headers are re-encrypted with the first key, and require the former one until then', async (t) => {
  const { database, tokenKeys, useKeys } = reencrypted();
  const workspace = makeWorkspace();
  await makeWebhook(reencrypted(), workspace, { headers });
  const next = makeTokenKey('next');
  const both = new TokenCipher([next, tokenKeys[0]!]);
  t.is(await reencryptTokens(database, both, { warn: t.log }), 1);
  await requireKeysInUse(database, new TokenCipher([next]));
  await useKeys([next]);
  t.deepEqual((await subscriptionsOf(reencrypted(), workspace))[0]!.headers, headers);
});

async function update(workspace: Workspace, input: InputOf<Operations['webhooks.update']>) {
  const { webhook } = await bench().bus.call('webhooks.update', input, callAs(workspace));
  return webhook;
}

async function entriesOf({ workspaceId }: Workspace) {
  const { entries } = await bench().bus.call(
    'webhooks.audit-entries',
    { workspaceId, limit: 100 },
    callAsSystem(),
  );
  return entries;
}
