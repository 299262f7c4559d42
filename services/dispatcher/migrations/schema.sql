-- The schema after all migrations. `npm run record` writes it.

create table dispatcher.audit_days (
  workspace_id uuid not null,
  day date not null,
  entries integer not null,
  constraint audit_days_pkey PRIMARY KEY (workspace_id, day)
);

create table dispatcher.audit_log (
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

create table dispatcher.dead_announcements (
  workspace_id uuid not null,
  webhook_id uuid not null,
  announced_at timestamp with time zone not null,
  constraint dead_announcements_pkey PRIMARY KEY (workspace_id, webhook_id)
);

create table dispatcher.deliveries (
  workspace_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  webhook_id uuid not null,
  kind text not null,
  status text not null,
  reason text,
  attempts jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  completed_at timestamp(3) with time zone,
  body text,
  constraint deliveries_pkey PRIMARY KEY (workspace_id, id),
  constraint deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text, 'skipped'::text])))
) partition by RANGE (id);

create table dispatcher.events (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  body text not null,
  trace text,
  constraint events_pkey PRIMARY KEY (workspace_id, id)
) partition by RANGE (id);

create table dispatcher.idempotency_keys (
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

create table dispatcher.outbox (
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

create table dispatcher.outbox_checkpoint (
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

create table dispatcher.queue (
  workspace_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  attempts integer not null,
  trigger text not null,
  due_at timestamp with time zone not null,
  lease uuid,
  constraint queue_pkey PRIMARY KEY (workspace_id, webhook_id, delivery_id)
) with (fillfactor=70);

create table dispatcher.replays (
  workspace_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone not null,
  delivery_status text,
  kinds text[],
  total bigint not null,
  done bigint not null default 0,
  status text not null,
  reached uuid,
  next_at timestamp with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  constraint replays_pkey PRIMARY KEY (workspace_id, id),
  constraint replays_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'cancelled'::text])))
);

create table dispatcher.usage_days (
  workspace_id uuid not null,
  day date not null,
  attempts bigint not null,
  successes bigint not null,
  constraint usage_days_pkey PRIMARY KEY (workspace_id, day)
);

create table dispatcher.webhook_hours (
  workspace_id uuid not null,
  webhook_id uuid not null,
  hour timestamp with time zone not null,
  attempts bigint not null,
  successes bigint not null,
  durations bigint[] not null,
  constraint webhook_hours_pkey PRIMARY KEY (workspace_id, webhook_id, hour)
) with (fillfactor=70);

create table dispatcher.webhook_rates (
  workspace_id uuid not null,
  webhook_id uuid not null,
  free_at timestamp with time zone not null,
  granted integer not null,
  constraint webhook_rates_pkey PRIMARY KEY (workspace_id, webhook_id)
);

CREATE INDEX audit_log_created_at ON dispatcher.audit_log USING brin (created_at);

CREATE INDEX deliveries_by_webhook ON ONLY dispatcher.deliveries USING btree (workspace_id, webhook_id, id);

CREATE INDEX deliveries_undelivered ON ONLY dispatcher.deliveries USING btree (workspace_id, webhook_id, id) WHERE (status <> 'delivered'::text);

CREATE INDEX deliveries_undelivered_of_workspace ON ONLY dispatcher.deliveries USING btree (workspace_id, id) WHERE (status <> 'delivered'::text);

CREATE INDEX idempotency_keys_created_at ON dispatcher.idempotency_keys USING brin (created_at);

CREATE INDEX outbox_created_at ON dispatcher.outbox USING brin (created_at);

CREATE INDEX outbox_published ON dispatcher.outbox USING btree (stream_seq) WHERE (stream_seq IS NOT NULL);

CREATE INDEX outbox_unpublished_by_workspace ON dispatcher.outbox USING btree (workspace_id, created_at) WHERE (stream_seq IS NULL);

CREATE INDEX queue_by_due_time ON dispatcher.queue USING btree (due_at) WHERE (due_at < 'infinity'::timestamp with time zone);

CREATE INDEX queue_due ON dispatcher.queue USING btree (workspace_id, webhook_id, due_at);

CREATE INDEX replays_of_workspace ON dispatcher.replays USING btree (workspace_id, next_at) WHERE (status = 'running'::text);

CREATE INDEX replays_running ON dispatcher.replays USING btree (next_at) WHERE (status = 'running'::text);

CREATE INDEX webhook_hours_hour ON dispatcher.webhook_hours USING brin (hour);

CREATE OR REPLACE FUNCTION dispatcher.attach_day(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  declare
    first_id uuid := lpad(to_hex(extract(epoch from day)::bigint * 1000), 12, '0') || repeat('0', 20);
    next_id uuid := lpad(to_hex(extract(epoch from day + 1)::bigint * 1000), 12, '0') || repeat('0', 20);
    parent text;
    child text;
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    foreach parent in array array['events', 'deliveries'] loop
      child := parent || to_char(day, '_YYYYMMDD');
      continue when to_regclass('dispatcher.' || child) is not null;
      execute format('create table dispatcher.%I (like dispatcher.%I including all excluding indexes)', child, parent);
      -- Otherwise the planner may read all deliveries of a workspace for those of one webhook.
      execute format('alter table dispatcher.%I alter column workspace_id set (n_distinct = 1)', child);
      execute format('alter table dispatcher.%I attach partition dispatcher.%I for values from (%L) to (%L)',
        parent, child, first_id, next_id);
    end loop;
    perform dispatcher.prepare_day(day);
  end $function$;

CREATE OR REPLACE FUNCTION dispatcher.collect_first_statistics(name text, analyzed text, row_of_none text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  begin
    if exists (select from pg_stats where schemaname = 'dispatcher' and tablename = name) then
      return;
    end if;
    execute format('insert into dispatcher.%I %s', name, row_of_none);
    execute format('analyze dispatcher.%I (%s)', name, analyzed);
    execute format('delete from dispatcher.%I where workspace_id = %L', name, '00000000-0000-0000-0000-000000000000');
  end $function$;

CREATE OR REPLACE FUNCTION dispatcher.create_partitions(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  declare
    parent text;
    child text;
    first_id text := lpad(to_hex(extract(epoch from day)::bigint * 1000), 12, '0') || repeat('0', 20);
    next_id text := lpad(to_hex(extract(epoch from day + 1)::bigint * 1000), 12, '0') || repeat('0', 20);
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    foreach parent in array array['events', 'deliveries'] loop
      child := parent || to_char(day, '_YYYYMMDD');
      continue when to_regclass('dispatcher.' || child) is not null;
      execute format('create table dispatcher.%I partition of dispatcher.%I for values from (%L) to (%L)',
        child, parent, first_id::uuid, next_id::uuid);
      -- Otherwise the planner may read all deliveries of a workspace for those of one webhook.
      execute format('alter table dispatcher.%I alter column workspace_id set (n_distinct = 1)', child);
    end loop;
  end $function$;

CREATE OR REPLACE FUNCTION dispatcher.drop_partition(name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    if exists (
      select from pg_inherits where inhrelid = to_regclass(format('dispatcher.%I', name))
        and inhparent in (to_regclass('dispatcher.events'), to_regclass('dispatcher.deliveries'))
    ) then
      execute format('drop table dispatcher.%I', name);
    end if;
  end $function$;

CREATE OR REPLACE FUNCTION dispatcher.prepare_day(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  declare
    none uuid := '00000000-0000-0000-0000-000000000000';
    first_id uuid := lpad(to_hex(extract(epoch from day)::bigint * 1000), 12, '0') || repeat('0', 20);
    next_id uuid := lpad(to_hex(extract(epoch from day + 1)::bigint * 1000), 12, '0') || repeat('0', 20);
    parent text;
    child text;
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    foreach parent in array array['events', 'deliveries'] loop
      child := parent || to_char(day, '_YYYYMMDD');
      if to_regclass('dispatcher.' || child) is null then
        execute format('create table dispatcher.%I partition of dispatcher.%I for values from (%L) to (%L)',
          child, parent, first_id, next_id);
        -- Otherwise the planner may read all deliveries of a workspace for those of one webhook.
        execute format('alter table dispatcher.%I alter column workspace_id set (n_distinct = 1)', child);
      end if;
      perform dispatcher.collect_first_statistics(child, 'workspace_id', case parent
        when 'events' then format('(workspace_id, id, kind, body) values (%L, %L, '''', '''')', none, first_id)
        else format('(workspace_id, id, event_id, webhook_id, kind, status, attempts)
          values (%1$L, %2$L, %1$L, %1$L, '''', ''skipped'', ''[]'')', none, first_id)
      end);
    end loop;
    perform dispatcher.collect_first_statistics('queue', 'workspace_id, webhook_id',
      format('(workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
        values (%1$L, %1$L, %1$L, %1$L, 0, ''event'', ''infinity'')', none));
    perform dispatcher.collect_first_statistics('replays', 'workspace_id, status',
      format('(workspace_id, id, webhook_id, since, until, total, status)
        values (%1$L, %1$L, %1$L, now(), now(), 0, ''running'')', none));
  end $function$;
