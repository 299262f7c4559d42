import { Migration } from '@mikro-orm/migrations';

export class CreateUsers extends Migration {
  override up(): void {
    for (const statement of [...tables, ...outbox, ...idempotencyKeys]) this.addSql(statement);
  }
}

const tables = [
  `create table users.workspaces (
    id uuid primary key,
    name text not null,
    created_at timestamptz(3) not null
  )`,
  `create table users.users (
    workspace_id uuid not null references users.workspaces (id),
    id uuid not null,
    email text not null,
    -- The address in lower case, made by the service: the same on every server, whatever its locale.
    email_key text collate "C" not null,
    name text not null,
    created_at timestamptz(3) not null,
    last_accessed_at timestamptz(3) not null,
    primary key (workspace_id, id),
    constraint users_email unique (workspace_id, email_key)
  ) with (fillfactor = 80)`,
  // Operators name users and keys by id alone.
  `create unique index users_id on users.users (id)`,
  `create table users.api_keys (
    workspace_id uuid not null,
    id uuid not null,
    user_id uuid not null,
    sha256 bytea not null check (length(sha256) = 32),
    scopes text[] not null check (cardinality(scopes) > 0),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    primary key (workspace_id, id),
    foreign key (workspace_id, user_id) references users.users (workspace_id, id)
  )`,
  `create unique index api_keys_id on users.api_keys (id)`,
  // A key comes in without its workspace: its hash says which.
  `create unique index api_keys_sha256 on users.api_keys (sha256)`,
];

/** `stream_seq` is where the event stream acknowledged the event; null until then. */
const outbox = [
  `create table users.outbox (
    workspace_id uuid not null,
    id uuid not null,
    kind text not null,
    body text not null,
    created_at timestamptz not null default now(),
    stream_seq bigint,
    primary key (workspace_id, id)
  )`,
  `create index outbox_stream_seq on users.outbox (stream_seq)`,
  `create index outbox_created_at on users.outbox using brin (created_at)`,
];

const idempotencyKeys = [
  `create table users.idempotency_keys (
    workspace_id uuid not null,
    key text not null,
    operation text not null,
    input_sha256 bytea not null,
    answer text,
    created_at timestamptz not null default now(),
    primary key (workspace_id, key)
  )`,
  `create index idempotency_keys_created_at on users.idempotency_keys using brin (created_at)`,
];
