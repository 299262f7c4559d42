import { Fault } from '@roster/contracts';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import { eventually } from './eventually.js';

type Call = (n: number) => Promise<unknown>;

interface Options {
  databaseUrl: string;
  /** A statement that locks rows of a workspace. */
  lock: { text: string; values: unknown[] };
  /** Calls that need the lock. Their deadline is later than the end of the test. */
  blocked: readonly Call[];
  /** Calls of another workspace, sent in the same batches. */
  others: readonly Call[];
}

/**
 * Repeats calls while rows of a workspace are locked, and checks that they are refused in the end, and that those of another workspace
 * are answered.
 */
export async function checkLockIsolation(
  t: ExecutionContext,
  { databaseUrl, lock, blocked, others }: Options,
): Promise<void> {
  // As of a process that was paused in a transaction.
  const holder = new pg.Client(databaseUrl);
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query('begin');
  await holder.query(lock.text, lock.values);

  const [waiting, served] = [blocked.map(repeat), others.map(repeat)];
  const clients = [...waiting, ...served];
  t.teardown(() => Promise.all(clients.map(({ stop }) => stop())));
  const haveAnswered = (some: typeof clients, count: number) =>
    some.every(({ codes }) => codes.length >= count);
  await eventually(() => haveAnswered(served, 20) && haveAnswered(waiting, 1), {
    timeoutMs: 30_000,
  });
  t.deepEqual(
    new Set(waiting.flatMap(({ codes }) => codes)),
    new Set(['unavailable']),
    'calls that need the lock',
  );
  await holder.query('rollback');
  await eventually(() => waiting.every(({ codes }) => codes.includes('ok')));
  await Promise.all(clients.map(({ stop }) => stop()));
  t.deepEqual(new Set(served.flatMap(({ codes }) => codes)), new Set(['ok']));
}

/** Calls again after each answer, and collects the codes of the answers until it is stopped. */
function repeat(call: Call) {
  const codes: string[] = [];
  const stopped = new AbortController();
  const done = (async () => {
    for (let n = 0; !stopped.signal.aborted; n += 1)
      codes.push(await call(n).then(() => 'ok', codeOf));
  })();
  return {
    codes,
    stop: () => {
      stopped.abort();
      return done;
    },
  };
}

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : String(error));
