import { Migration } from '@mikro-orm/migrations';

/** How far the outbox agrees with the stream, for all processes of the service: one row. */
export class CreateOutboxCheckpoint extends Migration {
  override up(): void {
    this.addSql(`create table users.outbox_checkpoint (
      id boolean primary key default true check (id),
      epoch bigint not null default 0,
      compared_epoch bigint not null default 0,
      seen_at timestamptz not null default now(),
      incarnation text,
      positions jsonb not null default '[]'
    )`);
    this.addSql(`insert into users.outbox_checkpoint default values`);
  }
}
