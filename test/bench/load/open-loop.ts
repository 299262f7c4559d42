import { Connection } from './connection.js';
import type { LoadRequest, Span } from './load.js';
import { Tally, type Outcome } from './tally.js';

export interface OpenLoopOptions {
  perSecond: number;
  /** Connections that may be open at once. */
  connectionsMax: number;
  /** What happens to a request that is due while all are taken: it waits, which counts, or it is dropped, which is counted. */
  whenTaken: 'wait' | 'drop';
}

const lastAnswersMs = 5000;
const tickMs = 1;
const openAtFirst = 64;

/**
 * Requests that arrive when they arrive (a Poisson process), whatever becomes of those before. Latency counts from the
 * moment at which a request was due, so a server that stalls is charged for everything that should have been sent meanwhile.
 */
export async function openLoop(
  port: number,
  { perSecond, connectionsMax, whenTaken }: OpenLoopOptions,
  next: () => LoadRequest,
  random: () => number,
  span: Span,
): Promise<Outcome> {
  const tally = new Tally();
  const free = await Promise.all(
    Array.from({ length: Math.min(openAtFirst, connectionsMax) }, () => Connection.open(port)),
  );
  const all = new Set(free);
  const waiting: number[] = [];
  let opening = 0;
  let unanswered = 0;
  let made = 0;
  const startedAt = performance.now();
  const from = startedAt + span.warmSeconds * 1000;
  const until = from + span.seconds * 1000;
  const dueTimes = poisson(startedAt, perSecond, random);
  let due = dueTimes();
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const timer = setInterval(sendDue, tickMs);
  const last = setTimeout(finish, span.totalMs + lastAnswersMs);
  await span.run(done);
  clearInterval(timer);
  clearTimeout(last);
  for (let lost = unanswered; lost > 0; lost -= 1) tally.answered(0, 200, 0);
  for (const connection of all) connection.close();
  return tally.outcome(span.seconds, made);

  function sendDue(): void {
    const now = performance.now();
    for (; due <= now && due < until; due = dueTimes()) {
      const connection = takeFree();
      if (connection) send(connection, due, now);
      else if (whenTaken === 'drop' && all.size + opening >= connectionsMax) drop(due);
      else {
        waiting.push(due);
        openAnother();
      }
    }
    if (due >= until && unanswered === 0 && waiting.length === 0) finish();
  }

  /** Servers close connections that were idle for seconds, as the deepest of these are under little load. */
  function takeFree(): Connection | undefined {
    for (let one = free.pop(); one; one = free.pop()) {
      if (one.isOpen) return one;
      all.delete(one);
    }
    return undefined;
  }

  function send(connection: Connection, dueAt: number, now: number): void {
    const { text, status: expected } = next();
    const counts = dueAt >= from;
    made += 1;
    if (counts) {
      unanswered += 1;
      tally.sentLate(now - dueAt);
    }
    connection.send(text, (response) => {
      if (counts) {
        unanswered -= 1;
        tally.answered(response?.status ?? 0, expected, performance.now() - dueAt);
      }
      if (response) release(connection);
      else all.delete(connection);
      sendDue();
    });
  }

  function release(connection: Connection): void {
    const dueAt = waiting.shift();
    if (dueAt === undefined) free.push(connection);
    else send(connection, dueAt, performance.now());
  }

  function openAnother(): void {
    if (all.size + opening >= connectionsMax) return;
    opening += 1;
    Connection.open(port)
      .then((connection) => {
        all.add(connection);
        release(connection);
      })
      .catch(() => tally.answered(0, 200, 0))
      .finally(() => (opening -= 1));
  }

  function drop(dueAt: number): void {
    if (dueAt >= from) tally.dropped += 1;
  }
}

/** The times of a Poisson process: the pauses between them are independent and exponentially distributed. */
export function poisson(start: number, perSecond: number, random: () => number): () => number {
  let at = start;
  return () => (at += (-Math.log(1 - random()) * 1000) / perSecond);
}
