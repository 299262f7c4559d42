-- The schema after all migrations. `npm run record` writes it.

create table webhooks.audit_days (
  workspace_id uuid not null,
  day date not null,
  entries integer not null,
  constraint audit_days_pkey PRIMARY KEY (workspace_id, day)
);

create table webhooks.audit_log (
  workspace_id uuid not null,
  id uuid not null,
  action text not null,
  actor_id text,
  key_id text,
  address text,
  request_id text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  created_at timestamp(3) with time zone not null default now(),
  constraint audit_log_pkey PRIMARY KEY (workspace_id, id)
);

create table webhooks.idempotency_keys (
  workspace_id uuid not null,
  key text not null,
  operation text not null,
  input_sha256 bytea not null,
  answer text,
  created_at timestamp with time zone not null default now(),
  user_id uuid,
  credential text,
  constraint idempotency_keys_pkey PRIMARY KEY (workspace_id, key)
);

create table webhooks.outbox (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  body text not null,
  details text,
  created_at timestamp with time zone not null default now(),
  stream_seq bigint,
  trace text,
  constraint outbox_pkey PRIMARY KEY (workspace_id, id)
);

create table webhooks.outbox_checkpoint (
  id boolean not null default true,
  epoch bigint not null default 0,
  compared_epoch bigint not null default 0,
  seen_at timestamp with time zone not null default now(),
  incarnation text,
  batches_from timestamp with time zone not null default now(),
  positions jsonb not null default '[]'::jsonb,
  constraint outbox_checkpoint_id_check CHECK (id),
  constraint outbox_checkpoint_pkey PRIMARY KEY (id)
);

create table webhooks.suspended_workspaces (
  workspace_id uuid not null,
  constraint suspended_workspaces_pkey PRIMARY KEY (workspace_id)
);

create table webhooks.webhooks (
  workspace_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  token_ciphertext text not null,
  disabled_reason text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  previous_token_ciphertext text,
  previous_token_until timestamp(3) with time zone,
  last_success_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  failures timestamp(3) with time zone[] not null default '{}'::timestamp with time zone[],
  forgiven_at timestamp(3) with time zone,
  subscribed_at jsonb not null default '{}'::jsonb,
  disabled_at timestamp(3) with time zone,
  enabled_at timestamp(3) with time zone,
  positions jsonb not null default '{}'::jsonb,
  payload text not null default 'compact'::text,
  description text,
  headers_ciphertext text,
  header_names text[] not null default '{}'::text[],
  rate_per_second integer,
  filter jsonb,
  failing_announced_at timestamp(3) with time zone,
  trace_context boolean not null default false,
  filter_changed_at timestamp(3) with time zone,
  constraint webhooks_check CHECK (((previous_token_ciphertext IS NULL) = (previous_token_until IS NULL))),
  constraint webhooks_events_check CHECK ((cardinality(events) > 0)),
  constraint webhooks_pkey PRIMARY KEY (workspace_id, id)
) with (fillfactor=70);

CREATE INDEX audit_log_created_at ON webhooks.audit_log USING brin (created_at);

CREATE INDEX idempotency_keys_created_at ON webhooks.idempotency_keys USING brin (created_at);

CREATE INDEX outbox_created_at ON webhooks.outbox USING brin (created_at);

CREATE INDEX outbox_published ON webhooks.outbox USING btree (stream_seq) WHERE (stream_seq IS NOT NULL);

CREATE INDEX outbox_unpublished_by_workspace ON webhooks.outbox USING btree (workspace_id, created_at) WHERE (stream_seq IS NULL);
