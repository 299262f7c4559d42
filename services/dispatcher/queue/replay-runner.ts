import { raw } from '@mikro-orm/core';
import { FailureLog } from '@roster/bus';
import { WorkLoop, type Log } from '@roster/process';
import type { Database, Statement } from '@roster/storage';
import { LRUCache } from 'lru-cache';
import { Replay } from '../entities/replay.entity.js';
import type { Activity } from '../delivery/activity.js';
import { momentId } from '../delivery/delivery.js';
import { enqueueReplay } from './queue-table.js';
import type { Queue } from './queue.js';

export interface ReplayRunnerOptions {
  database: Database;
  queue: Queue;
  activity: Activity;
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

type ReplayProgress = Pick<Replay, 'status' | 'total' | 'done'>;

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
    const { database, queue, activity, perSecond } = this.#options;
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
      const [advanced] = await session.query<ReplayProgress>(advanceReplay, [
        ...[workspaceId, id, count, reached, count < perSecond],
      ]);
      session.afterCommit(() => {
        queue.due();
        activity.replayChanged(workspaceId, { id, webhookId, ...advanced! });
      });
      return true;
    });
  }

  /** Otherwise a replay whose step failed would be claimed first again, before all others. */
  async #postpone({ workspace_id: workspaceId, id }: RunningRow): Promise<void> {
    const nextAt = raw(`now() + interval '10 seconds'`);
    await this.#options.database.em.nativeUpdate(Replay, { workspaceId, id }, { nextAt });
  }
}

/**
 * The next due replay: of a workspace that is not among $1, otherwise of the first of those. $1 are the workspaces that had steps, in
 * their order. Workspaces $2 are left out. Walks from workspace to workspace, and tries $3 replays of each.
 */
export const claimReplay: Statement = {
  name: 'dispatcher.claim-replay',
  text: `
    with recursive workspaces as (
      (select workspace_id from dispatcher.replays where status = 'running' order by workspace_id limit 1)
      union all
      select (
        select r.workspace_id from dispatcher.replays r
        where r.status = 'running' and r.workspace_id > w.workspace_id order by r.workspace_id limit 1
      ) from workspaces w where w.workspace_id is not null
    ), next as (
      select n.workspace_id, n.id, array_position($1::uuid[], n.workspace_id) as turn from workspaces w, lateral (
        select r.workspace_id, r.id, r.next_at from dispatcher.replays r
        where r.workspace_id = w.workspace_id and r.status = 'running' and r.next_at <= now()
        order by r.next_at limit $3
      ) n
      where n.workspace_id <> all ($2::uuid[])
    )
    select r.workspace_id, r.id, r.webhook_id, (extract(epoch from r.since) * 1000)::float8 as since_ms,
      (extract(epoch from r.until) * 1000)::float8 as until_ms, r.delivery_status, r.kinds, r.reached
    from next n join dispatcher.replays r on r.workspace_id = n.workspace_id and r.id = n.id
    where r.status = 'running' and r.next_at <= now()
    order by n.turn nulls first, r.next_at limit 1 for update of r skip locked`,
};

/** Records the progress of a replay, and when its next step is due. */
export const advanceReplay: Statement = {
  name: 'dispatcher.advance-replay',
  text: `
    update dispatcher.replays
    set done = done + $3, reached = coalesce($4, reached), next_at = now() + interval '1 second',
      status = case when $5 then 'completed' else status end
    where workspace_id = $1 and id = $2
    returning status, total::float8, done::float8`,
};

/** Steps per second of all replays of a workspace together. */
const stepsMax = 4;
const secondMs = 1000;
const rememberedMax = 1000;

/** The order in which workspaces have steps of their replays: in turn, whatever the number of replays of each. */
export class ReplayTurns {
  /** Times of the last steps of each workspace, by the last step. */
  readonly #steps = new LRUCache<string, number[]>({ max: rememberedMax });

  /** Workspaces that had steps, in the order of their turns. */
  get served(): string[] {
    return [...this.#steps.rkeys()];
  }

  /** Workspaces that had the maximum number of steps in the last second. */
  exhausted(now: number): string[] {
    return [...this.#steps].flatMap(([id, moments]) =>
      moments.length === stepsMax && now - moments[0]! < secondMs ? [id] : [],
    );
  }

  note(workspaceId: string, now: number): void {
    const moments = this.#steps.get(workspaceId) ?? [];
    this.#steps.set(workspaceId, [...moments, now].slice(-stepsMax));
  }
}
