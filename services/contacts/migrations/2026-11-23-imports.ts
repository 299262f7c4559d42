import { Migration } from '@mikro-orm/migrations';

export class CreateImports extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table contacts.imports (
    workspace_id uuid not null,
    id uuid not null,
    status text not null,
    format text not null,
    mode text not null,
    dry_run boolean not null,
    chunks int not null default 0,
    total int not null default 0,
    bytes bigint not null default 0,
    chunk int not null default 0,
    position int not null default 0,
    created int not null default 0,
    updated int not null default 0,
    skipped int not null default 0,
    failed int not null default 0,
    attempts smallint not null default 0,
    reason text,
    next_at timestamptz(6) not null default now(),
    received_at timestamptz(3) not null default now(),
    created_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    primary key (workspace_id, id),
    constraint imports_status_check
      check (status in ('uploading', 'queued', 'running', 'completed', 'cancelled', 'failed'))
  ) with (fillfactor = 50)`,
  `create index imports_active on contacts.imports (workspace_id, id)
   where status in ('uploading', 'queued', 'running')`,
  `create index imports_runnable on contacts.imports (workspace_id, id) where status in ('queued', 'running')`,
  `create index imports_stored on contacts.imports (workspace_id, id) where bytes > 0`,
  `create index imports_ended_at on contacts.imports (ended_at) where ended_at is not null`,
  `create table contacts.import_chunks (
    workspace_id uuid not null,
    import_id uuid not null,
    ordinal int not null,
    rows text not null,
    primary key (workspace_id, import_id, ordinal)
  )`,
  `create table contacts.import_errors (
    workspace_id uuid not null,
    import_id uuid not null,
    "row" int not null,
    n smallint not null,
    pointer text not null,
    code text not null,
    message text not null,
    primary key (workspace_id, import_id, "row", n)
  )`,
];
