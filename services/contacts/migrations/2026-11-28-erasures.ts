import { Migration } from '@mikro-orm/migrations';

export class CreateErasures extends Migration {
  override up(): void {
    this.addSql(`create table contacts.erasures (
      workspace_id uuid not null,
      id uuid not null,
      contact_id uuid not null,
      address_hash bytea,
      status text not null,
      step text,
      known text,
      position bigint,
      until bigint,
      pending text,
      reached text,
      events int not null default 0,
      deliveries int not null default 0,
      records int not null default 0,
      next_at timestamptz(6) not null default now(),
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      primary key (workspace_id, id),
      constraint erasures_contact unique (workspace_id, contact_id),
      constraint erasures_status_check check (status in ('queued', 'running', 'completed'))
    ) with (fillfactor = 50)`);
    this.addSql(
      `create index erasures_runnable on contacts.erasures (workspace_id, id) where status in ('queued', 'running')`,
    );
  }
}
