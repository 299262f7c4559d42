import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CallerVerifier, connectBus } from '@roster/bus';
import { openLog, publicKeyOf, publicKeys } from '@roster/process';
import { callAsSystem, eventually, throwawayDatabase, throwawayNats } from '@roster/testing';
import test from 'ava';

const signingKeyText = `k1:${randomBytes(32).toString('base64')}`;

const main = fileURLToPath(new URL('../main.js', import.meta.url));

test('starts with environment variables, answers, logs no key, and stops on SIGTERM', async (t) => {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  t.teardown(() => Promise.all([postgres.drop(), nats.stop()]));
  const service = fork(main, {
    env: {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      ADMIN_PORT: '0',
      LOG_LEVEL: 'debug',
      CALLER_SIGNING_KEY: signingKeyText,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  t.teardown(() => service.kill('SIGKILL'));
  let output = '';
  for (const stream of [service.stdout!, service.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const [ready] = await once(service, 'message');
  t.like(ready, { type: 'ready' });

  const log = openLog('caller', 'silent');
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  t.teardown(() => bus.close());
  const input = { name: 'Engines', ownerEmail: 'ada@example.com', ownerName: 'Ada' };
  const { apiKey, workspaceId, userId } = await bus.call(
    'workspaces.create',
    input,
    callAsSystem(),
  );
  await t.throwsAsync(bus.call('keys.verify', { sha256: '0'.repeat(64) }, callAsSystem()), {
    code: 'unauthenticated',
  });
  const sha256 = createHash('sha256').update(apiKey).digest('hex');
  const { proof, keyId, scopes } = await bus.call('keys.verify', { sha256 }, callAsSystem());
  const { publicKey } = await bus.call('caller-keys.get', {}, callAsSystem());
  t.is(publicKey, publicKeyOf(signingKeyText));
  const verifier = new CallerVerifier(publicKeys.parse(publicKeyOf(signingKeyText)));
  t.deepEqual(verifier.callerOf(proof!.text), { workspaceId, userId, keyId, scopes });
  t.true(proof!.validSeconds > 60);

  service.kill('SIGTERM');
  t.deepEqual(await once(service, 'close'), [0, null], output);
  t.true(output.includes('unauthenticated'));
  t.false(output.includes(apiKey.slice(4, 34)));
  t.false(output.includes(signingKeyText.slice(3)));
});

test('does not serve with a signing key that its public keys do not verify, and logs what to correct', async (t) => {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  t.teardown(() => Promise.all([postgres.drop(), nats.stop()]));
  const [own, sameId, otherId] = ['k1', 'k1', 'k2'].map(
    (id) => `${id}:${randomBytes(32).toString('base64')}`,
  ) as [string, string, string];
  const log = openLog('caller', 'silent');
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  t.teardown(() => bus.close());
  for (const [CALLER_SIGNING_KEY, listed, reason] of [
    [own, sameId, /^CALLER_SIGNING_KEY is not the private key of k1 in CALLER_PUBLIC_KEYS: /],
    [own, otherId, /^CALLER_PUBLIC_KEYS lacks k1, the public key of CALLER_SIGNING_KEY: /],
    ['', own, /^CALLER_SIGNING_KEY is missing, and CALLER_PUBLIC_KEYS is set: /],
  ] as const) {
    const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ADMIN_PORT: '0' };
    const CALLER_PUBLIC_KEYS = publicKeyOf(listed);
    const service = fork(main, {
      env: { ...env, CALLER_SIGNING_KEY, CALLER_PUBLIC_KEYS },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    t.teardown(() => service.kill('SIGKILL'));
    let output = '';
    service.stdout!.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const lines = () =>
      output
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { msg: string; waiting?: true; adminPort?: number });
    const { msg } = await eventually(() => lines().find(({ waiting }) => waiting));
    t.regex(msg, reason);
    const { adminPort } = lines().find((line) => line.adminPort)!;
    t.is((await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status, 503);
    await t.throwsAsync(
      bus.call('caller-keys.get', {}, { ...callAsSystem(), triesOnce: true as const }),
      { code: 'unavailable' },
    );
    service.kill('SIGKILL');
  }
});
