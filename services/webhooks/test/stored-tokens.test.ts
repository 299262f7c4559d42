import { uuidOf } from '@roster/contracts';
import test from 'ava';
import { requireKeysInUse } from '../secrets/keys-in-use.js';
import { TokenCipher } from '../secrets/token-cipher.js';
import {
  callAs,
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

test.serial('boots only with the keys that stored tokens need', async (t) => {
  await t.notThrowsAsync(
    requireKeysInUse(bench().database, new TokenCipher([makeTokenKey('other')])),
  );
  await makeWebhook(bench(), makeWorkspace());
  await t.notThrowsAsync(requireKeysInUse(bench().database, bench().cipher));
  const withoutIt = new TokenCipher([makeTokenKey('other')]);
  await t.throwsAsync(requireKeysInUse(bench().database, withoutIt), {
    message:
      'TOKEN_KEYS lacks keys that stored tokens are encrypted with: test. Append them and restart.',
  });
});

test.serial('does not boot with other bytes under the id of a key in use', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace, { idempotencyKey: 'make' });
  const wrong = new TokenCipher([makeTokenKey('test')]);
  const message =
    'TOKEN_KEYS has wrong bytes for keys of stored tokens: test. Give them the bytes that encrypted these tokens, and restart.';
  await t.throwsAsync(requireKeysInUse(bench().database, wrong), { message });
  await bench().database.query(
    { name: 'test.only-answers', text: 'delete from webhooks.webhooks' },
    [],
  );
  t.deepEqual(await listWebhooks(bench(), workspace), []);
  await t.throwsAsync(requireKeysInUse(bench().database, wrong), { message }, `answer of ${id}`);
  await t.notThrowsAsync(requireKeysInUse(bench().database, bench().cipher));
});

test.serial(
  'boots although some tokens of a key, or all that were given up, cannot be decrypted',
  async (t) => {
    const workspace = makeWorkspace();
    await makeWebhook(bench(), workspace);
    const { id } = await makeWebhook(bench(), workspace);
    await setToken(workspace, id, 'test.AAAA');
    await t.notThrowsAsync(requireKeysInUse(bench().database, bench().cipher));
    for (const givenUp of ['gone.', 'AAAA']) {
      await setToken(workspace, id, givenUp);
      await t.notThrowsAsync(requireKeysInUse(bench().database, bench().cipher));
    }
  },
);

test('answers that a token that cannot be decrypted must be rotated, logs it, and answers the rest of the batch', async (t) => {
  const workspace = makeWorkspace();
  const [sound, damaged] = [
    await makeWebhook(bench(), workspace),
    await makeWebhook(bench(), workspace),
  ];
  await setToken(workspace, damaged.id, 'test.AAAA');
  const refused = {
    code: 'conflict',
    message: 'The token of this webhook cannot be decrypted. Replace it with rotate-token.',
  };
  const { bus, warnings } = bench();
  const [read, refusal] = await Promise.allSettled([
    getWebhook(bench(), workspace, sound.id),
    getWebhook(bench(), workspace, damaged.id),
  ]);
  t.like(read, { status: 'fulfilled', value: { token: sound.token } });
  t.like(refusal, { status: 'rejected', reason: refused });
  t.true(
    warnings.some(
      (fields) =>
        JSON.stringify(fields) === JSON.stringify({ webhookId: damaged.id, keyId: 'test' }),
    ),
  );
  const requested = { webhookId: damaged.id };
  const url = 'https://example.com/other';
  await t.throwsAsync(
    bus.call('webhooks.update', { ...requested, url }, callAs(workspace)),
    refused,
  );
  await t.throwsAsync(bus.call('webhooks.disable', requested, callAs(workspace)), refused);
  await t.throwsAsync(bus.call('webhooks.enable', requested, callAs(workspace)), refused);
  const { token: _, signingSecret: __, ...listed } = damaged;
  t.deepEqual((await listWebhooks(bench(), workspace))[1], listed);
});

for (const token of [undefined, 'a-token-of-mine'])
  test(`rotates a token that cannot be decrypted, without overlap, to ${token ? 'a given one' : 'a generated one'}`, async (t) => {
    const workspace = makeWorkspace();
    const { id } = await makeWebhook(bench(), workspace);
    await setToken(workspace, id, 'test.AAAA');
    const input = { webhookId: id, overlapSeconds: 60, ...(token && { token }) };
    const { webhook } = await bench().bus.call('webhooks.rotate-token', input, callAs(workspace));
    if (token) t.is(webhook.token, token);
    t.is((await getWebhook(bench(), workspace, id)).token, webhook.token);
    t.like((await subscriptionsOf(bench(), workspace))[0], {
      token: webhook.token,
      previousToken: null,
    });
  });

test('answers a repeated request whose stored response cannot be decrypted with a conflict', async (t) => {
  const workspace = makeWorkspace();
  await makeWebhook(bench(), workspace, { idempotencyKey: 'lost' });
  const text = `update webhooks.idempotency_keys set answer = 'test.AAAA' where workspace_id = $1`;
  const values = [uuidOf('workspace', workspace.workspaceId)];
  await bench().database.query({ name: 'test.lose-answer', text }, values);
  const again = makeWebhook(bench(), workspace, { idempotencyKey: 'lost' });
  await t.throwsAsync(again, { code: 'conflict', message: /can no longer be decrypted/ });
  t.is((await listWebhooks(bench(), workspace)).length, 1);
});

test('does not decrypt a token that was moved to another webhook of the workspace', async (t) => {
  const workspace = makeWorkspace();
  const [first, second] = await Promise.all([
    makeWebhook(bench(), workspace),
    makeWebhook(bench(), workspace),
  ]);
  await copyToken(workspace, first.id, workspace, second.id);
  await t.throwsAsync(getWebhook(bench(), workspace, second.id), { code: 'conflict' });
  t.is((await getWebhook(bench(), workspace, first.id)).token, first.token);
});

test('does not decrypt a token that was moved to another workspace', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const [from, to] = await Promise.all([makeWebhook(bench(), own), makeWebhook(bench(), other)]);
  await copyToken(own, from.id, other, to.id);
  await t.throwsAsync(getWebhook(bench(), other, to.id), { code: 'conflict' });
});

async function setToken({ workspaceId }: Workspace, id: string, ciphertext: string): Promise<void> {
  const text =
    'update webhooks.webhooks set token_ciphertext = $3 where workspace_id = $1 and id = $2';
  await bench().database.query({ name: 'test.set', text }, [
    uuidOf('workspace', workspaceId),
    uuidOf('webhook', id),
    ciphertext,
  ]);
}

async function copyToken(
  own: Workspace,
  from: string,
  other: Workspace,
  to: string,
): Promise<void> {
  const text = `
    update webhooks.webhooks t set token_ciphertext = s.token_ciphertext from webhooks.webhooks s
    where s.workspace_id = $1 and s.id = $2 and t.workspace_id = $3 and t.id = $4`;
  await bench().database.query({ name: 'test.copy', text }, [
    uuidOf('workspace', own.workspaceId),
    uuidOf('webhook', from),
    uuidOf('workspace', other.workspaceId),
    uuidOf('webhook', to),
  ]);
}
