import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectBus } from '@roster/bus';
import { openLog } from '@roster/service';
import { callAsSystem, throwawayDatabase, throwawayNats } from '@roster/testing';
import test from 'ava';

const main = fileURLToPath(new URL('../main.js', import.meta.url));

test('starts with environment variables, answers, logs no key, and stops on SIGTERM', async (t) => {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  t.teardown(() => Promise.all([postgres.drop(), nats.stop()]));
  const service = fork(main, {
    env: { DATABASE_URL: postgres.url, NATS_URL: nats.url, ADMIN_PORT: '0', LOG_LEVEL: 'debug' },
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
  const { apiKey } = await bus.call('workspaces.create', input, callAsSystem());
  await t.throwsAsync(bus.call('keys.verify', { sha256: '0'.repeat(64) }, callAsSystem()), {
    code: 'unauthenticated',
  });

  service.kill('SIGTERM');
  t.deepEqual(await once(service, 'close'), [0, null], output);
  t.true(output.includes('unauthenticated'));
  t.false(output.includes(apiKey.slice(4, 34)));
});
