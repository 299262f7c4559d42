import {
  currentLockWait,
  isolateFailures,
  withLockWait,
  type Answer,
  type Call,
  type LockWait,
} from '@roster/bus';
import type { InputOf, Operation, OutputOf } from '@roster/contracts';
import type { Session } from '../database.js';
import type { SessionHandler } from './session-handler.js';

/** Maximum number of calls handled at once. */
const callsMax = 256;
/** Of their messages: the statement, its rows and the answers are several times as large. */
const bytesMax = 1024 * 1024;

interface Batch<O extends Operation> {
  calls: Call<InputOf<O>>[];
  session: Session;
  lockWait: LockWait | undefined;
  outcome: PromiseWithResolvers<Answer<OutputOf<O>>[]>;
}

/**
 * Lets a handler work on one batch at a time. Batches that arrive meanwhile wait, and are then merged if they have the same
 * session and lock wait: those that arrive during a slow commit wait for one more commit, not for one each. If a merged batch
 * fails, its batches are handled separately.
 */
export function coalesceBatches<O extends Operation>(handle: SessionHandler<O>): SessionHandler<O> {
  const waiting: Batch<O>[] = [];
  let working = false;
  return (calls, session) => {
    const outcome = Promise.withResolvers<Answer<OutputOf<O>>[]>();
    waiting.push({ calls, session, lockWait: currentLockWait(), outcome });
    if (!working) void work();
    return outcome.promise;
  };

  async function work(): Promise<void> {
    working = true;
    while (waiting.length > 0) {
      const batches = waiting.splice(0, fitting());
      const results = await isolateFailures(batches, handleTogether, failed);
      for (const [index, { outcome }] of batches.entries()) {
        const result = results[index]!;
        if (result instanceof Failed) outcome.reject(result.error);
        else outcome.resolve(result);
      }
    }
    working = false;
  }

  /** How many of the waiting batches are merged. */
  function fitting(): number {
    const [first] = waiting;
    let calls = 0;
    let bytes = 0;
    const end = waiting.findIndex((batch, index) => {
      calls += batch.calls.length;
      for (const call of batch.calls) bytes += call.bytes ?? 0;
      return index > 0 && (!isAlike(first!, batch) || calls > callsMax || bytes > bytesMax);
    });
    return end === -1 ? waiting.length : end;
  }

  /** The answers of each batch. */
  async function handleTogether(batches: Batch<O>[]): Promise<(Answer<OutputOf<O>>[] | Failed)[]> {
    const { session, lockWait } = batches[0]!;
    const calls = batches.flatMap((batch) => batch.calls);
    const answers = await withLockWait(lockWait, () => handle(calls, session));
    if (batches.length === 1) return [answers];
    let at = 0;
    return batches.map((batch) => answers.slice(at, (at += batch.calls.length)));
  }

  function isAlike(one: Batch<O>, other: Batch<O>): boolean {
    return one.session === other.session && one.lockWait?.ms === other.lockWait?.ms;
  }
}

class Failed {
  constructor(readonly error: unknown) {}
}

const failed = (error: unknown) => new Failed(error);
