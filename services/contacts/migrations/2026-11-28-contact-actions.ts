import { Migration } from '@mikro-orm/migrations';

export class CreateContactActions extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table contacts.actions (
    workspace_id uuid not null,
    id uuid not null,
    status text not null,
    filter text not null,
    contact_ids uuid[],
    change text not null,
    dry_run boolean not null,
    position uuid not null,
    end_id uuid not null,
    total int not null,
    examined int not null default 0,
    matched int not null default 0,
    changed int not null default 0,
    unchanged int not null default 0,
    failed int not null default 0,
    failures text not null default '[]',
    attempts smallint not null default 0,
    reason text,
    next_at timestamptz(6) not null default now(),
    created_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    primary key (workspace_id, id),
    constraint actions_status_check check (status in ('queued', 'running', 'completed', 'cancelled', 'failed'))
  ) with (fillfactor = 50)`,
  `create index actions_runnable on contacts.actions (workspace_id, id) where status in ('queued', 'running')`,
  `create index actions_ended_at on contacts.actions (ended_at) where ended_at is not null`,
];
