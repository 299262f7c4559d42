import { Migration } from '@mikro-orm/migrations';

/**
 * The addresses that unsubscribed, as keyed hashes (HMAC-SHA-256, RFC 2104, cut to 16 bytes), which outlive their contacts. Triggers
 * write them in the transaction of the change, whichever release makes it.
 */
export class CreateSuppressions extends Migration {
  override up(): void {
    this.addSql(`create table contacts.suppression_key (
      id boolean primary key default true check (id),
      inner_pad bytea not null,
      outer_pad bytea not null
    )`);
    this.addSql(`
      with key as materialized (
        select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) as key
      ), bytes as (
        select n, case when n < 32 then get_byte(key, n) else 0 end as byte from key, generate_series(0, 63) n
      )
      insert into contacts.suppression_key (inner_pad, outer_pad)
      select string_agg(set_byte('\\x00', 0, byte # 54), '' order by n),
        string_agg(set_byte('\\x00', 0, byte # 92), '' order by n)
      from bytes`);
    this.addSql(`create table contacts.suppressions (
      workspace_id uuid not null,
      id uuid not null,
      hash bytea not null,
      reason text not null,
      primary key (workspace_id, id),
      constraint suppressions_hash unique (workspace_id, hash)
    )`);
    this.addSql(
      'alter table contacts.watermarks add column has_suppressions boolean not null default false',
    );
    this.addSql(suppressionHash);
    this.addSql(isSuppressed);
    this.addSql(suppressionId);
    this.addSql(keepSuppression);
    this.addSql(`create trigger contacts_suppressed_in after insert on contacts.contacts
      for each row when (new.status = 'unsubscribed') execute function contacts.keep_suppression()`);
    this.addSql(`create trigger contacts_suppressed after update of status, email_key on contacts.contacts
      for each row when (new.status <> old.status or (new.status = 'unsubscribed' and new.email_key <> old.email_key))
      execute function contacts.keep_suppression()`);
    this.addSql(`create trigger contacts_suppressed_out after delete on contacts.contacts
      for each row when (old.status = 'unsubscribed') execute function contacts.keep_suppression()`);
  }
}

/** For the contacts that are unsubscribed, a thousand at a time: locked, so that none is subscribed again meanwhile. */
export class SuppressUnsubscribed extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`do $$
  declare
    last_workspace uuid := '00000000-0000-0000-0000-000000000000';
    last_contact uuid := '00000000-0000-0000-0000-000000000000';
  begin
    update contacts.watermarks w set has_suppressions = true where not has_suppressions
      and exists (select from contacts.contacts c where c.workspace_id = w.workspace_id and c.status = 'unsubscribed');
    commit;
    loop
      with locked as materialized (
        select workspace_id, id, email_key from contacts.contacts
        where status = 'unsubscribed' and (workspace_id, id) > (last_workspace, last_contact)
        order by workspace_id, id limit 1000 for share
      ), kept as (
        insert into contacts.suppressions (workspace_id, id, hash, reason)
        select workspace_id, contacts.suppression_id(), contacts.suppression_hash(workspace_id, email_key), 'unsubscribed'
        from locked
        on conflict (workspace_id, hash) do nothing
      )
      select workspace_id, id into last_workspace, last_contact from locked order by workspace_id desc, id desc limit 1;
      exit when not found;
      commit;
    end loop;
  end $$`);
  }
}

const suppressionHash = `
  create function contacts.suppression_hash(workspace_id uuid, email_key text) returns bytea language sql stable parallel safe
  return (
    select substr(sha256(k.outer_pad || sha256(k.inner_pad || convert_to(workspace_id::text || ' ' || email_key, 'UTF8'))), 1, 16)
    from contacts.suppression_key k
  )`;

/** Volatile: it sees what was committed while its statement waited for a lock. */
const isSuppressed = `
  create function contacts.is_suppressed(workspace uuid, address text) returns boolean language plpgsql as $$
  begin
    return exists (
      select from contacts.suppressions s
      where s.workspace_id = workspace and s.hash = contacts.suppression_hash(workspace, address)
    );
  end $$`;

/** The ID has its time, as version 7 of RFC 9562. */
const suppressionId = `
  create function contacts.suppression_id() returns uuid language sql volatile
  return (
    lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
      || substr(replace(gen_random_uuid()::text, '-', ''), 14)
  )::uuid`;

const keepSuppression = `
  create function contacts.keep_suppression() returns trigger language plpgsql as $$
  declare
    changed contacts.contacts := coalesce(new, old);
  begin
    if changed.status = 'subscribed' then
      delete from contacts.suppressions
      where workspace_id = changed.workspace_id
        and hash = contacts.suppression_hash(changed.workspace_id, changed.email_key);
    else
      insert into contacts.suppressions (workspace_id, id, hash, reason)
      values (
        changed.workspace_id, contacts.suppression_id(),
        contacts.suppression_hash(changed.workspace_id, changed.email_key), 'unsubscribed'
      )
      on conflict (workspace_id, hash) do nothing;
      update contacts.watermarks set has_suppressions = true
      where workspace_id = changed.workspace_id and not has_suppressions;
    end if;
    return null;
  end $$`;
