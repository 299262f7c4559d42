import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operationsOf, programNames, serviceNames } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connect, nkeyAuthenticator, type ServiceStats } from 'nats';
import { root } from '../cluster/release.js';
import { Client } from './client.js';
import { patience, seedFileOf, startRoster, type RunningRoster } from './running-roster.js';
import { scrape } from './scrape.js';

const inboxPrefix = '_INBOX.operator.srv';
const processes = programNames.filter((program) => program !== 'operator');

let roster: RunningRoster;

test.before(async (t) => void (roster = await startRoster({ t, env: patience })));
test.after.always(() => roster?.discard());

test('the processes are services of NATS to the operator, with the figures of their metrics', async (t) => {
  const client = new Client(roster);
  await client.post('/v1/contacts', { email: 'services@example.com' });
  await client.post('/v1/contacts', { email: 'services@example.com' });
  const seed = (await readFile(seedFileOf(roster, 'operator'), 'utf8')).trim();
  const nats = await connect({
    servers: roster.natsUrl,
    authenticator: nkeyAuthenticator(Buffer.from(seed)),
    inboxPrefix,
  });
  t.teardown(() => nats.close());
  const services = nats.services.client();
  const found: string[] = [];
  for await (const { name } of await services.ping()) found.push(name);
  t.deepEqual(found.toSorted(), processes.toSorted());
  for (const service of serviceNames)
    await eventually(async () => {
      const before = await callsIn(roster, service);
      const stats: ServiceStats[] = [];
      for await (const answer of await services.stats(service)) stats.push(answer);
      const [{ endpoints = [] } = {}] = stats;
      t.is(endpoints.length, Object.keys(operationsOf[service]).length);
      const counted = Object.fromEntries(
        endpoints
          .filter(({ num_requests }) => num_requests > 0)
          .map(({ subject, data }) => [subject, (data as { outcomes: object }).outcomes]),
      );
      // Processes also call each other without requests of clients.
      const after = await callsIn(roster, service);
      if (JSON.stringify(before) !== JSON.stringify(after)) return false;
      t.deepEqual(counted, before);
      return true;
    });
});

/** Calls of each operation by outcome, of the metrics of a process. */
async function callsIn(roster: RunningRoster, service: string) {
  const calls: Record<string, Record<string, number>> = {};
  const line = /^roster_operation_calls_total\{(.*)\} (\d+)$/gm;
  for (const [, labels = '', count] of (await scrape(roster, service)).matchAll(line)) {
    const { operation = '', outcome = '' } = Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ) as Record<string, string>;
    calls[operation] = { ...calls[operation], [outcome]: Number(count) };
  }
  return calls;
}

test('natscli lists the processes', async (t) => {
  const command = process.env['NATS_CLI'] ?? 'nats';
  if (spawnSync(command, ['--version']).status !== 0) {
    t.log('not tested here: install natscli, or set NATS_CLI');
    t.pass();
    return;
  }
  const options = [
    `--server=${roster.natsUrl}`,
    `--nkey=${seedFileOf(roster, 'operator')}`,
    `--inbox-prefix=${inboxPrefix}`,
  ];
  const micro = (...args: string[]) => {
    const { stdout, stderr } = spawnSync(command, [...options, 'micro', ...args], {
      encoding: 'utf8',
    });
    return stdout + stderr;
  };
  const list = micro('ls');
  for (const name of processes) t.true(list.includes(` ${name} `), list);
  t.regex(micro('info', 'contacts'), /contacts\.create/);
  t.regex(micro('stats', 'contacts'), /contacts-create/);
});

test('doctor --cluster compares the processes, and finds nothing wrong', async (t) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'deploy/local/dist/roster.js'), 'doctor', '--cluster'],
    { env: { ...process.env, ROSTER_HOME: roster.home }, encoding: 'utf8' },
  );
  t.is(stderr, '');
  t.regex(stdout, /^ok {6}replicas: gateway 1, contacts 1, users 1, webhooks 1, dispatcher 1$/m);
  for (const check of ['version', 'CALLER_SIGNING_KEY', 'CALLER_PUBLIC_KEYS', 'TOKEN_KEYS'])
    t.regex(stdout, new RegExp(`^ok {6}${check}: (?!none)`, 'm'));
  t.regex(stdout, /^ok {6}settings of the stream: 1 replicas, \d+ s$/m);
  t.is(status, 0, stdout);
});
