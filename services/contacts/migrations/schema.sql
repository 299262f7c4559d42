-- The schema after all migrations. `npm run record` writes it.

create table contacts.audit_days (
  workspace_id uuid not null,
  day date not null,
  entries integer not null,
  constraint audit_days_pkey PRIMARY KEY (workspace_id, day)
);

create table contacts.audit_log (
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

create table contacts.contact_properties (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  label text not null,
  description text,
  created_at timestamp(3) with time zone not null default now(),
  constraint contact_properties_name UNIQUE (workspace_id, name),
  constraint contact_properties_pkey PRIMARY KEY (workspace_id, id)
);

create table contacts.contacts (
  workspace_id uuid not null,
  id uuid not null,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  tags jsonb not null,
  properties jsonb not null,
  status text not null default 'subscribed'::text,
  created_at timestamp(3) with time zone not null,
  constraint contacts_pkey PRIMARY KEY (workspace_id, id),
  constraint contacts_status_check CHECK ((status = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text])))
);

create table contacts.counters (
  workspace_id uuid not null,
  slot smallint not null,
  total bigint not null,
  constraint counters_pkey PRIMARY KEY (workspace_id, slot)
) with (fillfactor=50);

create table contacts.idempotency_keys (
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

create table contacts.import_chunks (
  workspace_id uuid not null,
  import_id uuid not null,
  ordinal integer not null,
  rows text not null,
  constraint import_chunks_pkey PRIMARY KEY (workspace_id, import_id, ordinal)
);

create table contacts.import_errors (
  workspace_id uuid not null,
  import_id uuid not null,
  "row" integer not null,
  n smallint not null,
  pointer text not null,
  code text not null,
  message text not null,
  constraint import_errors_pkey PRIMARY KEY (workspace_id, import_id, "row", n)
);

create table contacts.imports (
  workspace_id uuid not null,
  id uuid not null,
  status text not null,
  format text not null,
  mode text not null,
  dry_run boolean not null,
  chunks integer not null default 0,
  total integer not null default 0,
  bytes bigint not null default 0,
  chunk integer not null default 0,
  "position" integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  attempts smallint not null default 0,
  reason text,
  next_at timestamp(6) with time zone not null default now(),
  received_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  events text not null default 'each'::text,
  written_at timestamp(3) with time zone,
  constraint imports_pkey PRIMARY KEY (workspace_id, id),
  constraint imports_status_check CHECK ((status = ANY (ARRAY['uploading'::text, 'queued'::text, 'running'::text, 'completed'::text, 'cancelled'::text, 'failed'::text])))
) with (fillfactor=50);

create table contacts.outbox (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  body text not null,
  created_at timestamp with time zone not null default now(),
  stream_seq bigint,
  details text,
  constraint outbox_pkey PRIMARY KEY (workspace_id, id)
);

create table contacts.outbox_checkpoint (
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

create table contacts.settings (
  workspace_id uuid not null,
  strict_properties boolean not null,
  constraint settings_pkey PRIMARY KEY (workspace_id)
);

create table contacts.unsubscribe_keys (
  workspace_id uuid not null,
  key bytea not null,
  constraint unsubscribe_keys_pkey PRIMARY KEY (workspace_id)
);

create table contacts.watermarks (
  workspace_id uuid not null,
  last_id uuid not null,
  constraint watermarks_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=50);

CREATE INDEX audit_log_created_at ON contacts.audit_log USING brin (created_at);

CREATE UNIQUE INDEX contacts_email ON contacts.contacts USING btree (workspace_id, email_key);

CREATE INDEX contacts_search ON contacts.contacts USING gin (workspace_id, tags jsonb_path_ops, properties jsonb_path_ops, to_tsvector('simple'::regconfig, name)) WITH (gin_pending_list_limit='256');

CREATE INDEX contacts_unsubscribed ON contacts.contacts USING btree (workspace_id, id) WHERE (status = 'unsubscribed'::text);

CREATE INDEX idempotency_keys_created_at ON contacts.idempotency_keys USING brin (created_at);

CREATE INDEX imports_active ON contacts.imports USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['uploading'::text, 'queued'::text, 'running'::text]));

CREATE INDEX imports_ended_at ON contacts.imports USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX imports_runnable ON contacts.imports USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX imports_stored ON contacts.imports USING btree (workspace_id, id) WHERE (bytes > 0);

CREATE INDEX outbox_created_at ON contacts.outbox USING brin (created_at);

CREATE INDEX outbox_published ON contacts.outbox USING btree (stream_seq) WHERE (stream_seq IS NOT NULL);

CREATE INDEX outbox_unpublished_by_workspace ON contacts.outbox USING btree (workspace_id, created_at) WHERE (stream_seq IS NULL);

CREATE OR REPLACE FUNCTION contacts.count_contacts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    -- In the order of workspaces, so that two writers never wait for each other in a circle.
    insert into contacts.counters as c (workspace_id, slot, total)
    select workspace_id, pg_backend_pid() % 16, count(*) * (case tg_op when 'INSERT' then 1 else -1 end)
    from changed group by workspace_id order by workspace_id
    on conflict (workspace_id, slot) do update set total = c.total + excluded.total;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.event_body(head text, email text, name text, created_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (((((((head || ',"email":'::text) || (to_json(email))::text) || ',"name":'::text) || (to_json(name))::text) || ',"createdAt":"'::text) || to_char((created_at AT TIME ZONE 'utc'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text)) || '"}}}'::text);

CREATE TRIGGER contacts_counted_in AFTER INSERT ON contacts.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.count_contacts();

CREATE TRIGGER contacts_counted_out AFTER DELETE ON contacts.contacts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.count_contacts();
