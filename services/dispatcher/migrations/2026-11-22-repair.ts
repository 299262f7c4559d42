import { Migration } from '@mikro-orm/migrations';

/** Seeing and repairing: what to look deliveries up by, replays, and a webhook's hours. */
export class AddRepair extends Migration {
  override up(): void {
    for (const statement of [...tables, ...idempotencyKeys]) this.addSql(statement);
  }
}

const tables = [
  // Few deliveries are anything but delivered: a search for those must not walk past all that are.
  `create index deliveries_undelivered on dispatcher.deliveries (workspace_id, webhook_id, id)
   where status <> 'delivered'`,
  `create table dispatcher.replays (
    workspace_id uuid not null,
    id uuid not null,
    webhook_id uuid not null,
    since timestamptz(3) not null,
    until timestamptz(3) not null,
    delivery_status text,
    kinds text[],
    total bigint not null,
    done bigint not null default 0,
    status text not null check (status in ('running', 'completed', 'cancelled')),
    -- The last delivery that was queued: where it goes on.
    reached uuid,
    next_at timestamptz not null default now(),
    created_at timestamptz(3) not null default now(),
    primary key (workspace_id, id)
  )`,
  `create index replays_running on dispatcher.replays (next_at) where status = 'running'`,
  `create table dispatcher.webhook_hours (
    workspace_id uuid not null,
    webhook_id uuid not null,
    hour timestamptz not null,
    attempts bigint not null,
    successes bigint not null,
    -- Attempts by duration: see latency-histogram.ts.
    durations bigint[] not null,
    primary key (workspace_id, webhook_id, hour)
  ) with (fillfactor = 70)`,
  `create index webhook_hours_hour on dispatcher.webhook_hours using brin (hour)`,
];

const idempotencyKeys = [
  `create table dispatcher.idempotency_keys (
    workspace_id uuid not null,
    key text not null,
    operation text not null,
    input_sha256 bytea not null,
    answer text,
    created_at timestamptz not null default now(),
    primary key (workspace_id, key)
  )`,
  `create index idempotency_keys_created_at on dispatcher.idempotency_keys using brin (created_at)`,
];
