import { Migration } from '@mikro-orm/migrations';

/**
 * The version of each contact and the ID of its last change, which follows those of all changes of the workspace that were committed
 * before. A contact that has not changed since it was created has none, nor have those that exist: theirs is their own ID. The former
 * release writes neither: a trigger adds them until 0.4.0, without taking the turn of the workspace.
 */
export class AddChangesOfContacts extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const statement of [columns, idAfter, instantOf, ...trigger, ...index])
      this.addSql(statement);
  }
}

const columns = `
  alter table contacts.contacts
    add column if not exists change_id uuid,
    add column if not exists version integer not null default 1`;

/** The ID whose time, with the counter as microseconds, is later by as many. */
const idAfter = `
  create or replace function contacts.id_after(id uuid, micros bigint) returns uuid language sql immutable parallel safe
  return (
    select (lpad(to_hex(at / 1000), 12, '0') || '7' || lpad(to_hex(at % 1000), 3, '0') || right(digits, 16))::uuid
    from (select replace(id::text, '-', '')) i (digits),
      lateral (
        select ('x' || lpad(left(digits, 12), 16, '0'))::bit(64)::bigint * 1000
          + least(('x' || substr(digits, 14, 3))::bit(12)::int, 999) + micros
      ) t (at)
  )`;

/** As `instantOfId` of the service. */
const instantOf = `
  create or replace function contacts.instant_of(id uuid) returns text language sql stable parallel safe
  return (
    select to_char(
      timestamp 'epoch' + ('x' || lpad(left(digits, 12), 16, '0'))::bit(64)::bigint * interval '1 millisecond'
        + least(('x' || substr(digits, 14, 3))::bit(12)::int, 999) * interval '1 microsecond',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    from (select replace(id::text, '-', '')) i (digits)
  )`;

const trigger = [
  `create or replace function contacts.complete_change() returns trigger language plpgsql as $$
  begin
    new.version := old.version + 1;
    new.change_id := greatest(
      (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7000'
        || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid,
      contacts.id_after(coalesce(old.change_id, old.id), 1),
      contacts.id_after((select last_id from contacts.watermarks where workspace_id = old.workspace_id), 1));
    return new;
  end $$`,
  `create or replace trigger contacts_changed before update on contacts.contacts
   for each row when (
     new.version = old.version
     and (new.email, new.name, new.tags, new.properties, new.status)
       is distinct from (old.email, old.name, old.tags, old.properties, old.status))
   execute function contacts.complete_change()`,
];

const index = [
  'drop index concurrently if exists contacts.contacts_changes',
  'create index concurrently contacts_changes on contacts.contacts (workspace_id, (coalesce(change_id, id)))',
];
