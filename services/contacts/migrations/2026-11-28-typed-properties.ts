import { Migration } from '@mikro-orm/migrations';

/**
 * Types of properties, and triggers that refuse values of another type, whichever process writes them: its type may have changed since
 * the process looked it up, and 0.2.0 knows no types. The error is one of those that a later attempt may not have
 * (`serialization_failure`).
 */
export class AddTypesOfProperties extends Migration {
  override up(): void {
    this.addSql(
      "alter table contacts.contact_properties add column type text not null default 'string'",
    );
    // Empty where no workspace has types: what the triggers cost then.
    this.addSql('create table contacts.typed_workspaces (workspace_id uuid primary key)');
    this.addSql(checkNew);
    this.addSql(checkChanged);
    this.addSql(`create trigger contacts_typed_in after insert on contacts.contacts
      referencing new table as changed for each statement execute function contacts.check_types_of_new()`);
    this.addSql(`create trigger contacts_typed after update on contacts.contacts
      for each row when (new.properties <> old.properties) execute function contacts.check_changed_types()`);
  }
}

/** Whether the value of a definition is not of its type. Whether a date is one of the calendar is left to the service. */
const contradicts = (value: string): string => `
        jsonb_typeof(${value}) <> case d.type when 'number' then 'number' when 'boolean' then 'boolean' else 'string' end
          or (d.type = 'date' and ${value} #>> '{}' !~ '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$')`;

const refuse = `raise exception 'a value of another type than the contact property has' using errcode = '40001'`;

/** A volatile function: its statement sees what was committed while that of the write waited for its turn. */
const checkNew = `
  create function contacts.check_types_of_new() returns trigger language plpgsql as $f$
  begin
    if exists (select from contacts.typed_workspaces) and exists (
      select from changed c
        join contacts.typed_workspaces t on t.workspace_id = c.workspace_id,
        jsonb_each(c.properties) p (name, value)
        join contacts.contact_properties d on d.name = p.name collate "C"
      where d.workspace_id = c.workspace_id and (${contradicts('p.value')})
    ) then
      ${refuse};
    end if;
    return null;
  end $f$`;

/** What a contact has from before its property was defined again may remain. */
const checkChanged = `
  create function contacts.check_changed_types() returns trigger language plpgsql as $f$
  begin
    if exists (select from contacts.typed_workspaces where workspace_id = new.workspace_id) and exists (
      select from jsonb_each(new.properties) p (name, value)
        join contacts.contact_properties d on d.name = p.name collate "C"
      where d.workspace_id = new.workspace_id and p.value is distinct from old.properties -> p.name
        and (${contradicts('p.value')})
    ) then
      ${refuse};
    end if;
    return null;
  end $f$`;
