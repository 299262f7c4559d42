import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openRoster } from '../system/client.js';
import { sharedRoster } from '../system/running-roster.js';
import { readExposition } from './exposition.js';
import { metricsReference } from './metrics-reference.js';
import { repository } from './repository.js';

const lostAfterSeconds = 5;

test('the canary measures how long its webhooks take, counts those that do not come, and enables its webhook again', async (t) => {
  const roster = await sharedRoster(t);
  const workspace = await roster.newWorkspace('Canary');
  const { scrape, stop } = await startCanary(t, { ...workspace, baseUrl: roster.baseUrl });
  await eventually(async () => (await scrape()).received >= 3, { timeoutMs: 60_000 });
  const { exposed, lost } = await scrape();
  t.is(lost, 0);
  const documented = [...metricsReference().values()].filter(
    ({ processes: [one] }) => one === 'canary',
  );
  t.deepEqual(
    [...exposed.values()].map(({ name, type }) => `${name} ${type}`).toSorted(),
    documented.map(({ name, type }) => `${name} ${type}`).toSorted(),
  );

  const client = openRoster({ baseUrl: roster.baseUrl, apiKey: workspace.apiKey });
  const {
    webhooks: [webhook],
  } = await client.webhooks.list();
  // Its events are skipped from now on.
  await client.webhooks.disable(webhook!.id);
  await eventually(async () => (await scrape()).lost > 0, { timeoutMs: 60_000 });
  const { received, errors } = await scrape();
  t.regex(errors, /acknowledged 5 s ago and not delivered/);
  t.notRegex(errors, /rsk_/);
  await eventually(async () => (await scrape()).received > received + 2, { timeoutMs: 60_000 });

  // Another one at another address, as after a restart.
  await stop();
  const next = await startCanary(t, { ...workspace, baseUrl: roster.baseUrl });
  await eventually(async () => (await next.scrape()).received >= 3, { timeoutMs: 60_000 });
  t.is((await client.webhooks.list()).webhooks.length, 1);
  t.is((await client.contacts.list()).contacts.length, 1);
});

/** Resolves with functions that read its metrics, and end it. */
async function startCanary(
  t: ExecutionContext,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
) {
  const [port, adminPort] = [await freePort(), await freePort()];
  const script = repository('deploy/kubernetes/components/canary/canary.mjs');
  const canary = spawn(process.execPath, [script], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: {
      ...{ HOST: '127.0.0.1', PORT: `${port}`, ADMIN_PORT: `${adminPort}` },
      ...{ ROSTER_URL: baseUrl, ROSTER_API_KEY: apiKey },
      CANARY_URL: `http://127.0.0.1:${port}/canary`,
      CANARY_EVERY_SECONDS: '0.2',
      CANARY_LOST_AFTER_SECONDS: `${lostAfterSeconds}`,
    },
  });
  let errors = '';
  canary.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(canary, 'exit');
  const stop = async () => {
    canary.kill();
    await exited;
  };
  t.teardown(stop);
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`).catch(() => undefined);
    const text = (await response?.text()) ?? '';
    const value = (series: string) =>
      Number(new RegExp(`^${series}\\{.*?\\} (.*)$`, 'm').exec(text)?.[1] ?? 0);
    return {
      ...{ exposed: readExposition(text), errors },
      lost: value('roster_promise_lost_total'),
      received: value('roster_canary_delivery_seconds_count'),
    };
  };
  return { scrape, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
