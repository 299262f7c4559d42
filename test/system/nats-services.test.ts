import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { operationsOf, programNames, serviceNames } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connect, nkeyAuthenticator, type ServiceStats } from 'nats';
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
