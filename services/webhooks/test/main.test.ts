import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectBus } from '@roster/bus';
import { openLog } from '@roster/process';
import { eventually, throwawayDatabase, throwawayNats } from '@roster/testing';
import test from 'ava';
import { callAs, makeWorkspace } from './webhooks-bench.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));

test('starts with environment variables, answers, logs neither tokens nor keys, and stops on SIGTERM', async (t) => {
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
  const { webhook } = await bus.call('webhooks.create', input, callAs(makeWorkspace()));
  const wrong = { ...input, url: 'http://example.com' };
  await t.throwsAsync(bus.call('webhooks.create', wrong, callAs(makeWorkspace())), {
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

test('is not ready with wrong bytes for a key in use, names the key, and writes nothing', async (t) => {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  t.teardown(() => Promise.all([postgres.drop(), nats.stop()]));
  const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ADMIN_PORT: '0' };
  const boot = (keys: string) => {
    const service = start({ ...env, TOKEN_KEYS: keys });
    t.teardown(() => service.child.kill('SIGKILL'));
    return service;
  };
  const [first, wrong, next] = Array.from({ length: 3 }, () => randomBytes(32).toString('base64'));
  const right = boot(`first:${first}`);
  await once(right.child, 'message');
  const log = openLog('caller', 'silent');
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  t.teardown(() => bus.close());
  const workspace = makeWorkspace();
  const input = { url: 'https://example.com', events: ['CONTACT_CREATED' as const] };
  const { webhook } = await bus.call('webhooks.create', input, callAs(workspace));

  // It would re-encrypt immediately.
  const refused = boot(`next:${next},first:${wrong}`);
  await eventually(() => refused.output().includes('TOKEN_KEYS has wrong bytes'));
  const port = /"adminPort":(\d+)/.exec(refused.output())![1];
  const readiness = await fetch(`http://127.0.0.1:${port}/readyz`);
  t.is(readiness.status, 503);
  t.like(await readiness.json(), {
    status: 'starting',
    waitingFor:
      'TOKEN_KEYS has wrong bytes for keys of stored tokens: first. Give them the bytes that encrypted these tokens, and restart.',
  });
  t.false(refused.output().includes(wrong!));
  const read = await bus.call('webhooks.get', { webhookId: webhook.id }, callAs(workspace));
  t.deepEqual(read.webhook, webhook);
});

test('stops being ready once another process encrypted tokens with a key that it lacks', async (t) => {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  t.teardown(() => Promise.all([postgres.drop(), nats.stop()]));
  const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ADMIN_PORT: '0' };
  const boot = (keys: string) => {
    const service = start({ ...env, TOKEN_KEYS: keys });
    t.teardown(() => service.child.kill('SIGKILL'));
    return service;
  };
  const [first, next] = Array.from({ length: 2 }, () => randomBytes(32).toString('base64'));
  const former = boot(`first:${first}`);
  const [{ adminPort }] = (await once(former.child, 'message')) as [{ adminPort: number }];
  const log = openLog('caller', 'silent');
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  t.teardown(() => bus.close());
  const workspace = makeWorkspace();
  const input = { url: 'https://example.com', events: ['CONTACT_CREATED' as const] };
  const { webhook } = await bus.call('webhooks.create', input, callAs(workspace));

  const other = boot(`next:${next},first:${first}`);
  await eventually(() => other.output().includes('re-encrypted stored tokens'));
  other.child.kill('SIGTERM');
  await once(other.child, 'close');

  const requested = bus.call('webhooks.get', { webhookId: webhook.id }, callAs(workspace));
  await t.throwsAsync(requested, { code: 'unavailable' });
  const readiness = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
  t.is(readiness.status, 503);
  t.like(await readiness.json(), { checks: { 'token-keys': false, postgres: true } });
});

function start(env: NodeJS.ProcessEnv) {
  const child = fork(main, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  return { child, output: () => output };
}
