import { Migration } from '@mikro-orm/migrations';

export class CreateContacts extends Migration {
  override up(): void {
    for (const statement of [...tables, ...counter, ...outbox, ...idempotencyKeys])
      this.addSql(statement);
  }
}

const tables = [
  `create table contacts.contacts (
    workspace_id uuid not null,
    id uuid not null,
    email text not null,
    -- The address in lower case, made by the service: the same on every server, whatever its locale.
    email_key text collate "C" not null,
    name text not null,
    tags jsonb not null,
    properties jsonb not null,
    status text not null default 'subscribed' check (status in ('subscribed', 'unsubscribed')),
    created_at timestamptz(3) not null,
    primary key (workspace_id, id)
  )`,
  `create unique index contacts_email on contacts.contacts (workspace_id, email_key)`,
  `create table contacts.contact_properties (
    workspace_id uuid not null,
    id uuid not null,
    name text collate "C" not null,
    label text not null,
    description text,
    created_at timestamptz(3) not null default now(),
    primary key (workspace_id, id),
    constraint contact_properties_name unique (workspace_id, name)
  )`,
  // The greatest contact id of each workspace. Creations of one workspace queue on its row, so that ids become visible in
  // their order and a reader who pages by id skips none.
  `create table contacts.watermarks (
    workspace_id uuid primary key,
    last_id uuid not null
  ) with (fillfactor = 50)`,
  // What follows the id in the body of a contact's event; \`head\` is the JSON up to there.
  `create function contacts.event_body(head text, email text, name text, created_at timestamptz)
   returns text language sql stable parallel safe
   return head || ',"email":' || to_json(email)::text || ',"name":' || to_json(name)::text || ',"createdAt":"'
     || to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}}}'`,
];

/** How many contacts a workspace has, exactly and at the same cost for any number: sixteen slots, lest writers wait for each other. */
const counter = [
  `create table contacts.counters (
    workspace_id uuid not null,
    slot smallint not null,
    total bigint not null,
    primary key (workspace_id, slot)
  ) with (fillfactor = 50)`,
  `create function contacts.count_contacts() returns trigger language plpgsql as $$
  begin
    -- In the order of workspaces, so that two writers never wait for each other in a circle.
    insert into contacts.counters as c (workspace_id, slot, total)
    select workspace_id, pg_backend_pid() % 16, count(*) * (case tg_op when 'INSERT' then 1 else -1 end)
    from changed group by workspace_id order by workspace_id
    on conflict (workspace_id, slot) do update set total = c.total + excluded.total;
    return null;
  end $$`,
  `create trigger contacts_counted_in after insert on contacts.contacts
   referencing new table as changed for each statement execute function contacts.count_contacts()`,
  `create trigger contacts_counted_out after delete on contacts.contacts
   referencing old table as changed for each statement execute function contacts.count_contacts()`,
];

/** `stream_seq` is where the event stream acknowledged the event; null until then. */
const outbox = [
  `create table contacts.outbox (
    workspace_id uuid not null,
    id uuid not null,
    kind text not null,
    body text not null,
    created_at timestamptz not null default now(),
    stream_seq bigint,
    primary key (workspace_id, id)
  )`,
  `create index outbox_stream_seq on contacts.outbox (stream_seq)`,
  `create index outbox_created_at on contacts.outbox using brin (created_at)`,
];

const idempotencyKeys = [
  `create table contacts.idempotency_keys (
    workspace_id uuid not null,
    key text not null,
    operation text not null,
    input_sha256 bytea not null,
    answer text,
    created_at timestamptz not null default now(),
    primary key (workspace_id, key)
  )`,
  `create index idempotency_keys_created_at on contacts.idempotency_keys using brin (created_at)`,
];
