import { raw } from '@mikro-orm/core';
import { FailureLog } from '@roster/bus';
import { WorkLoop, type Log } from '@roster/process';
import type { Database } from '@roster/storage';
import { Replay } from '../entities/replay.entity.js';
import { momentId } from './moment-id.js';
import { enqueueReplay } from './queue-table.js';
import type { Queue } from './queue.js';
import { advanceReplay, claimReplay } from './replay-table.js';
import { ReplayTurns } from './replay-turns.js';

export interface ReplayRunnerOptions {
  database: Database;
  queue: Queue;
  log: Log;
  /** Deliveries of one replay that are put into the queue per second. */
  perSecond: number;
  pollMs?: number;
}

interface RunningRow {
  workspace_id: string;
  id: string;
  webhook_id: string;
  since_ms: number;
  until_ms: number;
  delivery_status: string | null;
  kinds: string[] | null;
  reached: string | null;
}

/** Replays of one workspace that are tried: other processes may have locked some of them. */
const lockedMax = 8;

/**
 * Advances each replay by at most one step per second: a step puts the next deliveries into the queue and records its progress in
 * one transaction, so that any process can continue it. Processes share the replays; in each, workspaces take turns.
 */
export class ReplayRunner {
  readonly #options: ReplayRunnerOptions;
  readonly #turns = new ReplayTurns();
  readonly #loop: WorkLoop;

  constructor(options: ReplayRunnerOptions) {
    this.#options = options;
    const failures = new FailureLog(options.log, 'failed to advance a replay');
    const { pollMs = 1000 } = options;
    this.#loop = new WorkLoop({
      step: async () => ((await this.#step()) ? 0 : pollMs),
      pauseMs: pollMs,
      onFailure: (error) => failures.warn(error),
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Returns whether a replay was due for a step. */
  async #step(): Promise<boolean> {
    let claimed: RunningRow | undefined;
    try {
      return await this.#advance((replay) => (claimed = replay));
    } catch (error) {
      if (claimed) await this.#postpone(claimed);
      throw error;
    }
  }

  #advance(onClaim: (replay: RunningRow) => void): Promise<boolean> {
    const { database, queue, perSecond } = this.#options;
    return database.transaction(async (session) => {
      const [replay] = await session.query<RunningRow>(claimReplay, [
        this.#turns.served,
        this.#turns.exhausted(performance.now()),
        lockedMax,
      ]);
      if (!replay) return false;
      this.#turns.note(replay.workspace_id, performance.now());
      onClaim(replay);
      const { workspace_id: workspaceId, webhook_id: webhookId, id } = replay;
      const [step] = await session.query<{ count: number; reached: string | null }>(enqueueReplay, [
        workspaceId,
        webhookId,
        replay.reached ?? momentId(replay.since_ms - 1),
        momentId(replay.since_ms),
        momentId(replay.until_ms),
        replay.delivery_status,
        replay.kinds,
        perSecond,
      ]);
      const { count, reached } = step!;
      await session.query(advanceReplay, [workspaceId, id, count, reached, count < perSecond]);
      session.afterCommit(() => queue.due());
      return true;
    });
  }

  /** Otherwise a replay whose step failed would be claimed first again, before all others. */
  async #postpone({ workspace_id: workspaceId, id }: RunningRow): Promise<void> {
    const nextAt = raw(`now() + interval '10 seconds'`);
    await this.#options.database.em.nativeUpdate(Replay, { workspaceId, id }, { nextAt });
  }
}
