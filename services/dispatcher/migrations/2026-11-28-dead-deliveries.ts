import { Migration } from '@mikro-orm/migrations';

/** The events about deliveries. Each has a row of its own, whatever `batches_from` is. */
export class AddDeadDeliveries extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table dispatcher.outbox (
    workspace_id uuid not null,
    id uuid not null,
    kind text not null,
    body text not null,
    details text,
    created_at timestamptz not null default now(),
    stream_seq bigint,
    primary key (workspace_id, id)
  )`,
  `create index outbox_created_at on dispatcher.outbox using brin (created_at)`,
  `create index outbox_published on dispatcher.outbox (stream_seq) where stream_seq is not null`,
  `create index outbox_unpublished_by_workspace on dispatcher.outbox (workspace_id, created_at) where stream_seq is null`,
  `create table dispatcher.outbox_checkpoint (
    id boolean primary key default true check (id),
    epoch bigint not null default 0,
    compared_epoch bigint not null default 0,
    seen_at timestamptz not null default now(),
    incarnation text,
    batches_from timestamptz not null default now(),
    positions jsonb not null default '[]'
  )`,
  `insert into dispatcher.outbox_checkpoint default values`,
  `create table dispatcher.dead_announcements (
    workspace_id uuid not null,
    webhook_id uuid not null,
    announced_at timestamptz not null,
    primary key (workspace_id, webhook_id)
  )`,
];
