import { setTimeout as delay } from 'node:timers/promises';
import { eventually, shortOrLong, TcpProxy } from '@roster/testing';
import test from 'ava';
import { signal } from '../faults/kinds/process-faults.js';
import { Client, type Contact } from '../system/client.js';
import { processesOf, type PartName } from '../system/processes.js';
import { patience, startRoster, type RunningRoster } from '../system/running-roster.js';
import { Handler } from './handler.js';
import { CommandLine } from './listening.js';
import { compare, endOfLog, loggedEvents } from './logged-events.js';

/** The run of a release: LISTEN_SECONDS=60 LISTEN_STOPPED_SECONDS=70 LISTEN_FAULT_SECONDS=15 npm test -- test/listen/under-faults.test.ts */
const seconds = Number(process.env.LISTEN_SECONDS ?? shortOrLong(5, 10));
const eventsPerSecond = Number(process.env.LISTEN_EVENTS_PER_SECOND ?? shortOrLong(60, 200));
const stoppedSeconds = Number(process.env.LISTEN_STOPPED_SECONDS ?? 2);
const faultSeconds = Number(process.env.LISTEN_FAULT_SECONDS ?? 1);
const contactCount = 40;
const batchesPerSecond = 10;

test(`at ${eventsPerSecond} events per second, the handler receives the events of the log, those of a contact in order, while everything fails in turn`, async (t) => {
  const roster = await startRoster({ t, env: patience });
  t.teardown(() => roster.discard());
  t.timeout((seconds + stoppedSeconds + faultSeconds * 20 + 400) * 1000);
  const { hostname, port } = new URL(roster.baseUrl);
  const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  const handler = await Handler.start();
  const commandLine = new CommandLine({ ...roster, baseUrl: `http://127.0.0.1:${proxy.port}` });
  t.teardown(() => {
    proxy.stop();
    handler.down();
    commandLine.remove();
  });
  const after = await endOfLog(roster);
  const args = ['listen', '--forward-to', handler.url] as const;
  let command = await commandLine.start(...args).ready();
  t.teardown(() => command.end());
  const load = await startLoad(roster);

  const lasting = () => delay(faultSeconds * 1000);
  const restart = async (part: PartName) => {
    const [pid] = processesOf(roster.home, part);
    if (pid !== undefined) signal(pid, 'SIGKILL');
    await lasting();
  };
  const faults: Record<string, () => Promise<unknown>> = {
    'the handler is slow': async () => {
      handler.latencyMs = 30;
      await lasting();
      handler.latencyMs = 5;
    },
    'the handler is down': async () => {
      handler.down();
      await lasting();
      await handler.up();
    },
    'the link is reset': () => broken('reset'),
    'the link is refused': () => broken('refuse'),
    'the link breaks': () => broken('break'),
    'the link is half open': () => broken('silence'),
    'the link is slow': async () => {
      proxy.setShape({ latencyMs: 150, lostShare: 0.05 });
      await lasting();
      proxy.setShape({});
    },
    'listen is killed': async () => {
      await command.end('SIGKILL');
      await lasting();
      command = await commandLine.start(...args).ready();
    },
    'listen is stopped': async () => {
      command.signal('SIGSTOP');
      await delay(stoppedSeconds * 1000);
      command.signal('SIGCONT');
    },
    'the gateway is killed': () => restart('gateway'),
    'the dispatcher is killed': () => restart('dispatcher'),
    'NATS is killed': () => restart('nats'),
  };
  async function broken(mode: 'reset' | 'refuse' | 'break' | 'silence') {
    await proxy.setMode(mode);
    await lasting();
    await proxy.setMode('forward');
  }

  for (const [what, inflict] of Object.entries(faults)) {
    await inflict();
    t.log(`${load.seconds().toFixed(0)} s: ${what}; ${handler.received.length} received`);
    await delay(Math.min(1000, faultSeconds * 500));
  }
  await eventually(() => load.seconds() >= seconds, { timeoutMs: seconds * 1000 + 1000 });
  const loadSeconds = load.seconds();
  const changes = await load.stop();
  const stoppedAt = performance.now();
  const logged = await eventually(
    async () => {
      const events = await loggedEvents(roster, after);
      return events.length >= changes && events;
    },
    { timeoutMs: 60_000, describe: 'the log to have all events' },
  );
  const isComplete = () => compare(logged, handler.received).missing === 0;
  await eventually(isComplete, { timeoutMs: 240_000 }).catch(() => undefined);
  const { missing, unknown, outOfOrder, repeated } = compare(logged, handler.received);
  t.log(
    `${logged.length} events in ${loadSeconds.toFixed(0)} s; all received ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s later; ${repeated} repeated`,
  );
  t.log(command.stderr);
  t.deepEqual({ missing, unknown, outOfOrder }, { missing: 0, unknown: 0, outOfOrder: 0 });
  t.true(logged.length >= changes);
  t.is(await command.end('SIGINT'), 130);
});

/** Changes contacts at a steady rate, as far as the system accepts it. */
async function startLoad(roster: RunningRoster) {
  const client = new Client(roster);
  const ids: string[] = [];
  for (let n = 0; n < contactCount; n += 1) {
    const { body } = await client.post<{ contact: Contact }>('/v1/contacts', {
      email: `under-faults-${n}@example.com`,
    });
    ids.push(body.contact.id);
  }
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  const work = { isRunning: true };
  const size = eventsPerSecond / batchesPerSecond;
  let changed = contactCount;
  const done = (async () => {
    for (let n = 0; work.isRunning; n += 1) {
      await delay(Math.max(0, (n / batchesPerSecond - elapsed()) * 1000));
      const operations = Array.from({ length: size }, (_, index) => ({
        action: 'update',
        id: ids[(n * size + index) % ids.length],
        name: `n${n}`,
      }));
      try {
        const { status } = await client.post('/v1/contacts/batch', { operations });
        if (status === 200) changed += size;
      } catch {
        // The gateway was killed. Whether the contacts were changed is in the log.
      }
    }
  })();
  return {
    seconds: elapsed,
    /** @returns the number of changes that were certainly made */
    async stop(): Promise<number> {
      work.isRunning = false;
      await done;
      return changed;
    },
  };
}
