import { uuidOf } from '@roster/contracts';
import test from 'ava';
import { reencryptTokens } from '../secrets/reencrypt-tokens.js';
import { requireKeysInUse } from '../secrets/keys-in-use.js';
import type { NamedKey } from '@roster/bus';
import { TokenCipher } from '../secrets/token-cipher.js';
import { tokenBinding } from '../webhook.js';
import {
  callAs,
  getWebhook,
  makeTokenKey,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  webhooksBench,
} from './webhooks-bench.js';

// Each test works on every row of its database, so each has its own.
const [rotated, broken] = [webhooksBench(test), webhooksBench(test)];
const former = (bench: ReturnType<typeof rotated>) => bench.tokenKeys[0]!;

test('after re-encryption, tokens are readable without the previous key, which can be removed when stored responses have expired', async (t) => {
  const bench = rotated();
  const workspace = makeWorkspace();
  // More than one portion.
  const webhooks: Awaited<ReturnType<typeof makeWebhook>>[] = [];
  for (let at = 0; at < 230; at += 23) {
    const some = Array.from({ length: 23 }, (_, n) =>
      makeWebhook(bench, workspace, { idempotencyKey: `make-${at + n}` }),
    );
    webhooks.push(...(await Promise.all(some)));
  }
  const [first, second] = webhooks;
  const context = callAs(workspace, { idempotencyKey: 'rotate' });
  await bench.bus.call(
    'webhooks.rotate-token',
    { webhookId: first!.id, overlapSeconds: 60 },
    context,
  );
  const before = await subscriptionsOf(bench, workspace);

  const next = makeTokenKey('next');
  const both = new TokenCipher([next, former(bench)]);
  t.is(await reencryptTokens(bench.database, both, silent(t)), 230);
  t.is(await reencryptTokens(bench.database, both, silent(t)), 0);

  await bench.useKeys([next, former(bench)]);
  // The response is the stored one: no other webhook is created.
  t.deepEqual(await makeWebhook(bench, workspace, { idempotencyKey: 'make-1' }), second);
  const withoutFormer = () => requireKeysInUse(bench.database, new TokenCipher([next]));
  await t.throwsAsync(withoutFormer, { message: /TOKEN_KEYS lacks keys/ });
  const text = `update webhooks.idempotency_keys set created_at = now() - interval '1 day'`;
  await bench.database.query({ name: 'test.expire', text }, []);
  await t.notThrowsAsync(withoutFormer);
  await bench.useKeys([next]);
  t.deepEqual(await subscriptionsOf(bench, workspace), before);
});

test('refuses to start without a key that a stored response still requires', async (t) => {
  const bench = broken();
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench, workspace, { idempotencyKey: 'make' });
  await bench.bus.call('webhooks.delete', { webhookId: id }, callAs(workspace));
  await t.throwsAsync(requireKeysInUse(bench.database, new TokenCipher([makeTokenKey('next')])), {
    message: /TOKEN_KEYS lacks keys/,
  });
});

test('leaves a token that it cannot decrypt as it is, logs its webhook, and continues with the others', async (t) => {
  const bench = broken();
  const workspace = makeWorkspace();
  const [damaged, sound] = await Promise.all([
    makeWebhook(bench, workspace),
    makeWebhook(bench, workspace),
  ]);
  const text = `update webhooks.webhooks set token_ciphertext = $3 where workspace_id = $1 and id = $2`;
  const key = {
    workspaceId: uuidOf('workspace', workspace.workspaceId),
    id: uuidOf('webhook', damaged.id),
  };
  const foreign = new TokenCipher([makeTokenKey(former(bench).id)]);
  await bench.database.query({ name: 'test.damage', text }, [
    key.workspaceId,
    key.id,
    foreign.encrypt('another token', tokenBinding(key)),
  ]);

  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const both = [makeTokenKey('later'), former(bench)] as NamedKey[];
  await reencryptTokens(bench.database, new TokenCipher(both), log);
  t.like(warnings, [{ webhookId: key.id }]);
  await bench.useKeys(both);
  t.is((await getWebhook(bench, workspace, sound.id)).token, sound.token);
});

function silent(t: { fail(message?: string): unknown }) {
  return { warn: (fields: unknown) => void t.fail(JSON.stringify(fields)) };
}
