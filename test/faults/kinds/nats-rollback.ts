import { cp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';
import { isRunning, supervisorOf, processesOf } from '../../system/processes.js';
import { signal } from './process-faults.js';

export interface RollbackOptions {
  afterSeconds: number;
  bySeconds: number;
  print: (line: string) => void;
}

/**
 * Kills NATS and replaces its storage with a copy from `bySeconds` before, as after a power failure before the data was
 * synced. Happens once; stopping waits for it.
 */
export function rollBackNats(home: string, options: RollbackOptions): { stop(): Promise<void> } {
  const done = rollBack(home, options);
  done.catch(() => undefined);
  return { stop: () => done };
}

async function rollBack(
  home: string,
  { afterSeconds, bySeconds, print }: RollbackOptions,
): Promise<void> {
  const storage = join(home, 'nats', 'jetstream');
  const copy = join(home, 'nats', 'jetstream.earlier');
  await delay(afterSeconds * 1000);
  const [before] = processesOf(home, 'nats');
  signal(before!, 'SIGSTOP');
  await cp(storage, copy, { recursive: true });
  signal(before!, 'SIGCONT');
  await delay(bySeconds * 1000);

  // The supervisor is paused until the storage is in place.
  const supervisor = supervisorOf(home);
  signal(supervisor, 'SIGSTOP');
  try {
    const [nats] = processesOf(home, 'nats');
    signal(nats!, 'SIGKILL');
    await eventually(() => !isRunning(nats!), { describe: 'NATS to exit' });
    await rename(storage, `${storage}.lost`);
    await rename(copy, storage);
  } finally {
    signal(supervisor, 'SIGCONT');
  }
  await rm(`${storage}.lost`, { recursive: true });
  print(`       NATS killed, and its storage rolled back by ${bySeconds} s`);
  const again = await eventually(() => publishedAgain(home), {
    timeoutMs: 60_000,
    describe: 'the contacts service to detect the lost messages',
  });
  print(`       ${again} lost events were published again`);
}

/** The number of lost events that the contacts service has logged, if any. */
async function publishedAgain(home: string): Promise<number | undefined> {
  const log = await readFile(join(home, 'logs', 'contacts.log'), 'utf8');
  const lines = log
    .split('\n')
    .filter((line) => line.includes('the stream lost its latest messages'));
  const events = lines.map((line) => (JSON.parse(line) as { events: number }).events);
  return events.reduce((sum, count) => sum + count, 0) || undefined;
}
