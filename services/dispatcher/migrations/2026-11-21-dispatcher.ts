import { Migration } from '@mikro-orm/migrations';

export class CreateDispatcher extends Migration {
  override up(): void {
    for (const statement of tables) this.addSql(statement);
  }
}

/**
 * Events, deliveries and attempts lie in daily partitions, cut by the time in their ids, and are dropped a day at a time.
 * What waits to be tried stands in `queue` beside them, small, and gone when it is done.
 */
const tables = [
  `create table dispatcher.events (
    workspace_id uuid not null,
    id uuid not null,
    kind text not null,
    body text not null,
    primary key (workspace_id, id)
  ) partition by range (id)`,
  `create table dispatcher.deliveries (
    workspace_id uuid not null,
    id uuid not null,
    event_id uuid not null,
    webhook_id uuid not null,
    kind text not null,
    status text not null check (status in ('pending', 'delivered', 'dead', 'skipped')),
    reason text,
    attempts jsonb not null,
    created_at timestamptz(3) not null default now(),
    completed_at timestamptz(3),
    primary key (workspace_id, id)
  ) partition by range (id)`,
  `create index deliveries_by_webhook on dispatcher.deliveries (workspace_id, webhook_id, id)`,
  `create table dispatcher.queue (
    workspace_id uuid not null,
    webhook_id uuid not null,
    delivery_id uuid not null,
    event_id uuid not null,
    attempts int not null,
    trigger text not null,
    due_at timestamptz not null,
    lease uuid,
    primary key (workspace_id, webhook_id, delivery_id)
  ) with (fillfactor = 70)`,
  `create index queue_due on dispatcher.queue (workspace_id, webhook_id, due_at)`,
];
