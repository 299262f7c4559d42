import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CallerVerifier, connectBus } from '@roster/bus';
import { openLog, publicKeyOf, publicKeys } from '@roster/service';
import { callAsSystem, throwawayDatabase, throwawayNats } from '@roster/testing';
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
  const verifier = new CallerVerifier(publicKeys.parse(publicKeyOf(signingKeyText)));
  t.deepEqual(verifier.callerOf(proof!.text), { workspaceId, userId, keyId, scopes });
  t.true(proof!.validSeconds > 60);

  service.kill('SIGTERM');
  t.deepEqual(await once(service, 'close'), [0, null], output);
  t.true(output.includes('unauthenticated'));
  t.false(output.includes(apiKey.slice(4, 34)));
  t.false(output.includes(signingKeyText.slice(3)));
});
