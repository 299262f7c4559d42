-- The schema after all migrations. `npm run record` writes it.

create table users.api_keys (
  workspace_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  sha256 bytea not null,
  scopes text[] not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  name text not null default ''::text,
  prefix text,
  last_used_at timestamp(3) with time zone,
  last_used_ip text,
  previous_sha256 bytea,
  previous_until timestamp(3) with time zone,
  sign_in_email text,
  sign_in_email_key text collate "C",
  sign_in_issuer text,
  sign_in_subject text,
  announced_days integer,
  constraint api_keys_pkey PRIMARY KEY (workspace_id, id),
  constraint api_keys_scopes_check CHECK ((cardinality(scopes) > 0)),
  constraint api_keys_sha256_check CHECK ((length(sha256) = 32)),
  constraint api_keys_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES users.users(workspace_id, id)
);

create table users.audit_days (
  workspace_id uuid not null,
  day date not null,
  entries integer not null,
  constraint audit_days_pkey PRIMARY KEY (workspace_id, day)
);

create table users.audit_log (
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

create table users.export_links (
  workspace_id uuid not null,
  id uuid not null,
  key_id uuid not null,
  session_id uuid,
  sha256 bytea not null,
  input jsonb not null,
  expires_at timestamp(3) with time zone not null,
  constraint export_links_pkey PRIMARY KEY (workspace_id, id),
  constraint export_links_sha256_check CHECK ((length(sha256) = 32)),
  constraint export_links_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id) REFERENCES users.api_keys(workspace_id, id) ON DELETE CASCADE
);

create table users.idempotency_keys (
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

create table users.origins (
  workspace_id uuid not null,
  origin text collate "C" not null,
  constraint origins_pkey PRIMARY KEY (workspace_id, origin),
  constraint origins_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES users.workspaces(id)
);

create table users.outbox (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  body text not null,
  created_at timestamp with time zone not null default now(),
  stream_seq bigint,
  details text,
  trace text,
  constraint outbox_pkey PRIMARY KEY (workspace_id, id)
);

create table users.outbox_checkpoint (
  id boolean not null default true,
  epoch bigint not null default 0,
  compared_epoch bigint not null default 0,
  seen_at timestamp with time zone not null default now(),
  incarnation text,
  positions jsonb not null default '[]'::jsonb,
  batches_from timestamp with time zone not null default now(),
  constraint outbox_checkpoint_id_check CHECK (id),
  constraint outbox_checkpoint_pkey PRIMARY KEY (id)
);

create table users.session_links (
  workspace_id uuid not null,
  id uuid not null,
  key_id uuid not null,
  sha256 bytea not null,
  expires_at timestamp(3) with time zone not null,
  by_identity boolean not null default false,
  constraint session_links_pkey PRIMARY KEY (workspace_id, id),
  constraint session_links_sha256_check CHECK ((length(sha256) = 32)),
  constraint session_links_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id) REFERENCES users.api_keys(workspace_id, id) ON DELETE CASCADE
);

create table users.sessions (
  workspace_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  key_id uuid not null,
  sha256 bytea not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone not null,
  address text,
  user_agent text,
  by_identity boolean not null default false,
  constraint sessions_pkey PRIMARY KEY (workspace_id, id),
  constraint sessions_sha256_check CHECK ((length(sha256) = 32)),
  constraint sessions_workspace_id_key_id_fkey FOREIGN KEY (workspace_id, key_id) REFERENCES users.api_keys(workspace_id, id) ON DELETE CASCADE
);

create table users.usage_days (
  workspace_id uuid not null,
  day date not null,
  requests bigint not null,
  constraint usage_days_pkey PRIMARY KEY (workspace_id, day)
);

create table users.usage_reports (
  gateway uuid not null,
  sequence bigint not null,
  reported_at timestamp(3) with time zone not null default now(),
  constraint usage_reports_pkey PRIMARY KEY (gateway)
);

create table users.users (
  workspace_id uuid not null,
  id uuid not null,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  created_at timestamp(3) with time zone not null,
  last_accessed_at timestamp(3) with time zone not null,
  constraint users_email UNIQUE (workspace_id, email_key),
  constraint users_pkey PRIMARY KEY (workspace_id, id),
  constraint users_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES users.workspaces(id)
) with (fillfactor=80);

create table users.workspaces (
  id uuid not null,
  name text not null,
  created_at timestamp(3) with time zone not null,
  external_id text collate "C",
  status text not null default 'active'::text,
  is_held boolean not null default false,
  deletion jsonb,
  quota_contacts bigint,
  quota_requests_per_day bigint,
  constraint workspaces_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX api_keys_id ON users.api_keys USING btree (id);

CREATE INDEX api_keys_previous_sha256 ON users.api_keys USING btree (previous_sha256) WHERE (previous_sha256 IS NOT NULL);

CREATE UNIQUE INDEX api_keys_sha256 ON users.api_keys USING btree (sha256);

CREATE INDEX api_keys_sign_in_email ON users.api_keys USING btree (sign_in_email_key, workspace_id) WHERE ((sign_in_email_key IS NOT NULL) AND (revoked_at IS NULL));

CREATE INDEX api_keys_sign_in_subject ON users.api_keys USING btree (sign_in_subject) WHERE (sign_in_subject IS NOT NULL);

CREATE INDEX audit_log_created_at ON users.audit_log USING brin (created_at);

CREATE INDEX export_links_key ON users.export_links USING btree (workspace_id, key_id);

CREATE UNIQUE INDEX export_links_sha256 ON users.export_links USING btree (sha256);

CREATE INDEX idempotency_keys_created_at ON users.idempotency_keys USING brin (created_at);

CREATE INDEX origins_origin ON users.origins USING btree (origin);

CREATE INDEX outbox_created_at ON users.outbox USING brin (created_at);

CREATE INDEX outbox_published ON users.outbox USING btree (stream_seq) WHERE (stream_seq IS NOT NULL);

CREATE INDEX outbox_unpublished_by_workspace ON users.outbox USING btree (workspace_id, created_at) WHERE (stream_seq IS NULL);

CREATE INDEX session_links_key ON users.session_links USING btree (workspace_id, key_id);

CREATE UNIQUE INDEX session_links_sha256 ON users.session_links USING btree (sha256);

CREATE INDEX sessions_key ON users.sessions USING btree (workspace_id, key_id);

CREATE UNIQUE INDEX sessions_sha256 ON users.sessions USING btree (sha256);

CREATE UNIQUE INDEX users_id ON users.users USING btree (id);

CREATE UNIQUE INDEX workspaces_external_id ON users.workspaces USING btree (external_id) WHERE (external_id IS NOT NULL);
