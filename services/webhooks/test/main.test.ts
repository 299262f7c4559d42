import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectBus } from '@roster/bus';
import { openLog } from '@roster/service';
import { throwawayDatabase, throwawayNats } from '@roster/testing';
import test from 'ava';
import { callAs, makeWorkspace } from './webhooks-bench.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));

test('boots from its environment, answers, logs neither tokens nor keys, and stops on SIGTERM', async (t) => {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  t.teardown(() => Promise.all([postgres.drop(), nats.stop()]));
  const key = randomBytes(32).toString('base64');
  const service = start({
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    ADMIN_PORT: '0',
    LOG_LEVEL: 'debug',
    TOKEN_KEYS: `first:${key}`,
  });
  t.teardown(() => service.child.kill('SIGKILL'));
  const [ready] = await once(service.child, 'message');
  t.like(ready, { type: 'ready' });

  const log = openLog('caller', 'silent');
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  t.teardown(() => bus.close());
  const input = { url: 'https://example.com', events: ['CONTACT_CREATED' as const] };
  const { webhook } = await bus.ask('webhooks.create', input, callAs(makeWorkspace()));
  const wrong = { ...input, url: 'http://example.com' };
  await t.throwsAsync(bus.ask('webhooks.create', wrong, callAs(makeWorkspace())), {
    code: 'invalid',
  });

  service.child.kill('SIGTERM');
  t.deepEqual(await once(service.child, 'close'), [0, null], service.output());
  t.true(service.output().includes('webhooks.create'));
  t.false(service.output().includes(webhook.token));
  t.false(service.output().includes(key));
});

test('does not boot without token keys, and says which variable is wrong', async (t) => {
  const service = start({ DATABASE_URL: 'postgres://x', NATS_URL: 'nats://x', TOKEN_KEYS: 'hush' });
  const [code] = await once(service.child, 'close');
  t.is(code, 78);
  t.regex(service.output(), /TOKEN_KEYS: entry 1/);
  t.false(service.output().includes('hush'));
});

function start(env: NodeJS.ProcessEnv) {
  const child = fork(main, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  return { child, output: () => output };
}
