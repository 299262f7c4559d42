import { uuidOf } from '@roster/contracts';
import test from 'ava';
import { requireKeysInUse } from '../require-keys-in-use.js';
import { TokenCipher } from '../token-cipher.js';
import {
  getWebhook,
  makeTokenKey,
  makeWebhook,
  makeWorkspace,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

test.serial('boots with the keys that stored tokens need, and not without', async (t) => {
  await t.notThrowsAsync(
    requireKeysInUse(bench().database, new TokenCipher([makeTokenKey('other')])),
  );
  await makeWebhook(bench(), makeWorkspace());
  await t.notThrowsAsync(requireKeysInUse(bench().database, bench().cipher));
  const withoutIt = new TokenCipher([makeTokenKey('other')]);
  await t.throwsAsync(requireKeysInUse(bench().database, withoutIt), {
    message: 'TOKEN_KEYS lacks keys that stored tokens need: test',
  });
});

test('does not read a token that was moved to another webhook of the workspace', async (t) => {
  const workspace = makeWorkspace();
  const [first, second] = await Promise.all([
    makeWebhook(bench(), workspace),
    makeWebhook(bench(), workspace),
  ]);
  await copyToken(workspace, first.id, workspace, second.id);
  await t.throwsAsync(getWebhook(bench(), workspace, second.id), { code: 'internal' });
  t.is((await getWebhook(bench(), workspace, first.id)).token, first.token);
});

test('does not read a token that was moved to another workspace', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const [from, to] = await Promise.all([makeWebhook(bench(), own), makeWebhook(bench(), other)]);
  await copyToken(own, from.id, other, to.id);
  await t.throwsAsync(getWebhook(bench(), other, to.id), { code: 'internal' });
});

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
