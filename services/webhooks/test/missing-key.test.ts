import { eventually } from '@roster/testing';
import test from 'ava';
import { reencryptTokens } from '../secrets/reencrypt-tokens.js';
import { TokenCipher } from '../secrets/token-cipher.js';
import { watchMissingKeys } from '../secrets/keys-in-use.js';
import {
  callAs,
  getWebhook,
  listWebhooks,
  makeTokenKey,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  webhooksBench,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

test('while it lacks a key of stored tokens, answers unavailable for them and is not ready', async (t) => {
  const workspace = makeWorkspace();
  const { id, ...rest } = await makeWebhook(bench(), workspace, { idempotencyKey: 'make' });
  const { database, bus, tokenKeys } = bench();
  const ignore = () => undefined;
  const log = { warn: ignore, info: ignore, debug: ignore };
  // As a process with the next key does.
  const [former, next] = [tokenKeys[0]!, makeTokenKey('next')];
  await reencryptTokens(database, new TokenCipher([next, former]), log);

  const cipher = await bench().useKeys([former]);
  const checks = new Map<string, () => unknown>();
  const warnings: unknown[] = [];
  watchMissingKeys(
    {
      requires: (name, check) => void checks.set(name, check),
      log: { ...log, warn: (...line: unknown[]) => void warnings.push(line) },
      onShutdown: (step) => t.teardown(step),
    },
    database,
    cipher,
    50,
  );
  const own = await makeWebhook(bench(), workspace);
  t.is(checks.get('token-keys')!(), true);
  const unavailable = { code: 'unavailable', details: { retryAfterSeconds: 1 } };
  const [refusal, read] = await Promise.allSettled([
    getWebhook(bench(), workspace, id),
    getWebhook(bench(), workspace, own.id),
  ]);
  t.like(refusal, { status: 'rejected', reason: unavailable });
  t.like(read, { status: 'fulfilled', value: { token: own.token } });
  t.is(checks.get('token-keys')!(), false);
  t.deepEqual(warnings, [
    [{ keyId: 'next' }, 'TOKEN_KEYS lacks a key of stored tokens: append it and restart'],
  ]);

  const requested = { webhookId: id };
  const { code } = unavailable;
  await t.throwsAsync(bus.call('webhooks.disable', requested, callAs(workspace)), { code });
  await t.throwsAsync(
    bus.call('webhooks.rotate-token', { ...requested, overlapSeconds: 0 }, callAs(workspace)),
    { code },
  );
  // The stored response contains the token.
  await t.throwsAsync(makeWebhook(bench(), workspace, { idempotencyKey: 'make' }), { code });
  t.is((await listWebhooks(bench(), workspace))[0]!.status, 'active');
  t.is((await subscriptionsOf(bench(), workspace)).find((one) => one.id === id)!.token, null);

  await reencryptTokens(database, new TokenCipher([former, next]), log);
  await eventually(() => checks.get('token-keys')!() === true);
  t.deepEqual(await getWebhook(bench(), workspace, id), { id, ...rest });
});
