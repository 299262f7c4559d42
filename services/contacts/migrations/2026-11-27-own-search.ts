import { Migration } from '@mikro-orm/migrations';

/**
 * Names are divided into words by the service, and not by PostgreSQL, whose words depend on its locale and release. Any part of an
 * address can be found. The former release, which knows neither, writes no words: triggers add them until 0.4.0.
 */
export class CreateOwnSearch extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const statement of [...words(), ...addresses, complete, ...index]) this.addSql(statement);
  }
}

/** The characters beyond ASCII that a name can contain. */
function* charactersBeyondAscii(): Generator<string> {
  for (let code = 0x80; code <= 0x10_ffff; code += 1)
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
}

/** As `nameWords` of the service folds it. The dotted capital I, which becomes two characters, is replaced separately. */
function foldedOf(character: string): string {
  const lower = character.toLowerCase();
  const upper = lower.toUpperCase();
  return upper.length > lower.length || lower === 'ı' ? lower : upper.toLowerCase();
}

const isFolded = (character: string): boolean =>
  character === character.normalize('NFKC') &&
  character !== 'İ' &&
  character !== foldedOf(character);

const divider = /[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Co}]+/gu;

/** As in a class of a regular expression. */
function rangesOf(characters: string): string {
  const ranges: { first: number; last: number }[] = [];
  for (const character of characters) {
    const code = character.codePointAt(0)!;
    const range = ranges.at(-1);
    if (range?.last === code - 1) range.last = code;
    else ranges.push({ first: code, last: code });
  }
  return ranges.map(({ first, last }) => `${escaped(first)}-${escaped(last)}`).join('');
}

const escaped = (code: number): string => `\\U${code.toString(16).padStart(8, '0')}`;

function words(): string[] {
  const characters = [...charactersBeyondAscii()];
  const cased = characters.filter(isFolded);
  const dividers = rangesOf(characters.join('').match(divider)!.join(''));
  return [
    'alter table contacts.contacts add column if not exists name_words tsvector',
    `create or replace function contacts.name_words(name text) returns tsvector language plpgsql immutable parallel safe as $$
  begin
    if octet_length(name) = char_length(name) then
      return regexp_replace(lower(name collate "C"), '[^a-z0-9]+', ' ', 'g')::tsvector;
    end if;
    name := regexp_replace(normalize(translate(replace(lower(normalize(name, nfkc) collate "C"), 'İ', 'i̇'),
      '${cased.join('')}', '${cased.map(foldedOf).join('')}'), nfc),
      '[\\u0001-/:-@[-\`{-\\u007f${dividers}]+', ' ', 'g');
    -- A word has at most 2,046 bytes.
    return case when octet_length(name) > 2046 then regexp_replace(name, '([^ ]{255})[^ ]+', '\\1', 'g') else name end::tsvector;
  end $$`,
    `create or replace function contacts.complete_name() returns trigger language plpgsql as $$
  begin
    new.name_words := contacts.name_words(new.name);
    return new;
  end $$`,
    `create or replace trigger contacts_named before insert on contacts.contacts
   for each row when (new.name_words is null) execute function contacts.complete_name()`,
    `create or replace trigger contacts_renamed before update of name on contacts.contacts
   for each row when (new.name <> old.name and new.name_words is not distinct from old.name_words)
   execute function contacts.complete_name()`,
  ];
}

const addresses = [
  // A trusted extension, as btree_gin.
  'create extension if not exists pg_trgm schema roster_extensions',
  `create table if not exists contacts.addresses (
    workspace_id uuid not null,
    id uuid not null,
    address text collate "C" not null,
    primary key (workspace_id, id)
  )`,
  // Operators may have created the extension in another schema.
  `do $$ begin
    execute format(
      'create index if not exists addresses_parts on contacts.addresses
       using gin (workspace_id, address %I.gin_trgm_ops) with (gin_pending_list_limit = 256)',
      (select extnamespace::regnamespace from pg_extension where extname = 'pg_trgm'));
  end $$`,
  `create or replace function contacts.ascii_address(email_key text) returns text language sql stable parallel safe
   return encode(convert_to(email_key, 'UTF8'), 'escape')`,
  `create or replace function contacts.write_addresses() returns trigger language plpgsql as $$
  begin
    case tg_op
      when 'INSERT' then
        insert into contacts.addresses (workspace_id, id, address)
        select workspace_id, id, contacts.ascii_address(email_key) from changed;
      when 'DELETE' then
        delete from contacts.addresses a using changed c where a.workspace_id = c.workspace_id and a.id = c.id;
      else
        update contacts.addresses set address = contacts.ascii_address(new.email_key)
        where workspace_id = new.workspace_id and id = new.id;
    end case;
    return null;
  end $$`,
  `create or replace trigger contacts_addressed_in after insert on contacts.contacts
   referencing new table as changed for each statement execute function contacts.write_addresses()`,
  `create or replace trigger contacts_addressed_out after delete on contacts.contacts
   referencing old table as changed for each statement execute function contacts.write_addresses()`,
  `create or replace trigger contacts_readdressed after update of email_key on contacts.contacts
   for each row when (new.email_key <> old.email_key) execute function contacts.write_addresses()`,
];

/** For the contacts that exist, thousands at a time: locked, so that none is deleted or gets another address meanwhile. */
const complete = `do $$
  declare
    last contacts.contacts;
  begin
    loop
      with locked as (
        select * from contacts.contacts
        where last.id is null or (workspace_id, id) > (last.workspace_id, last.id)
        order by workspace_id, id limit 5000 for update
      ), named as (
        update contacts.contacts c set name_words = contacts.name_words(c.name) from locked l
        where c.workspace_id = l.workspace_id and c.id = l.id and c.name_words is null
      ), addressed as (
        insert into contacts.addresses (workspace_id, id, address)
        select workspace_id, id, contacts.ascii_address(email_key) from locked
        on conflict do nothing
      )
      select * into last from locked order by workspace_id desc, id desc limit 1;
      exit when not found;
      commit;
    end loop;
  end $$`;

const index = [
  'drop index concurrently if exists contacts.contacts_search_by_words',
  // Searches read all entries that are not merged yet: few, so that they stay fast.
  `create index concurrently contacts_search_by_words on contacts.contacts
   using gin (workspace_id, tags jsonb_path_ops, properties jsonb_path_ops, name_words)
   with (gin_pending_list_limit = 256)`,
  'drop index concurrently if exists contacts.contacts_search',
  'alter index contacts.contacts_search_by_words rename to contacts_search',
];
