import type { Log } from '@roster/service';
import type { Database, Statement } from '@roster/service/storage';
import { momentId } from './moment-id.js';
import { Pause } from './pause.js';
import type { Queue } from './queue.js';

export interface ReplayRunnerOptions {
  database: Database;
  queue: Queue;
  log: Log;
  /** Deliveries of one replay that are queued in a second. */
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

/**
 * Carries replays on, a step a second: a step queues the next deliveries and notes how far it came, in one transaction, so
 * that a replay goes on where it was whoever dies. Any number of deliveries; several processes share the replays.
 */
export class ReplayRunner {
  readonly #options: ReplayRunnerOptions;
  readonly #running: Promise<void>;
  #stopped = false;
  readonly #pause = new Pause();

  constructor(options: ReplayRunnerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  wake(): void {
    this.#pause.end();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pause.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, pollMs = 1000 } = this.#options;
    while (!this.#stopped) {
      let stepped = false;
      try {
        stepped = await this.#step();
      } catch (error) {
        log.warn({ err: error }, 'could not carry a replay on');
      }
      if (!stepped) await this.#pause.for(pollMs);
    }
  }

  /** Whether there was a replay whose turn it was. */
  #step(): Promise<boolean> {
    const { database, queue, perSecond } = this.#options;
    return database.transaction(async (session) => {
      const [replay] = await session.query<RunningRow>(claim, []);
      if (!replay) return false;
      const { workspace_id: workspaceId, webhook_id: webhookId, id } = replay;
      const [step] = await session.query<{ count: number; reached: string | null }>(enqueue, [
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
      await session.query(advance, [workspaceId, id, count, reached, count < perSecond]);
      session.afterCommit(() => queue.due());
      return true;
    });
  }
}

const claim: Statement = {
  name: 'dispatcher.claim-replay',
  text: `
    select workspace_id, id, webhook_id, (extract(epoch from since) * 1000)::float8 as since_ms,
      (extract(epoch from until) * 1000)::float8 as until_ms, delivery_status, kinds, reached
    from dispatcher.replays
    where status = 'running' and next_at <= now()
    order by next_at limit 1 for update skip locked`,
};

/** One that waits already keeps its place; it counts, for it is on its way. */
const enqueue: Statement = {
  name: 'dispatcher.enqueue-replay',
  text: `
    with picked as (
      select workspace_id, id, webhook_id, event_id, jsonb_array_length(attempts) as made
      from dispatcher.deliveries
      where workspace_id = $1 and webhook_id = $2 and id > $3 and id >= $4 and id < $5
        and ($6::text is null or status = $6) and ($7::text[] is null or kind = any ($7))
      order by id limit $8
    ), queued as (
      insert into dispatcher.queue
        (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
      select workspace_id, webhook_id, id, event_id, made, 'replay', now() from picked
      on conflict do nothing
      returning workspace_id, delivery_id
    ), again as (
      update dispatcher.deliveries d
      set status = 'pending', reason = null, completed_at = null
      from queued q where d.workspace_id = q.workspace_id and d.id = q.delivery_id
    )
    select count(*)::float8 as count, (array_agg(id order by id desc))[1] as reached from picked`,
};

const advance: Statement = {
  name: 'dispatcher.advance-replay',
  text: `
    update dispatcher.replays
    set done = done + $3, reached = coalesce($4, reached), next_at = now() + interval '1 second',
      status = case when $5 then 'completed' else status end
    where workspace_id = $1 and id = $2`,
};
