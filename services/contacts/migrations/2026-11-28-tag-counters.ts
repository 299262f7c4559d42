import { Migration } from '@mikro-orm/migrations';

/**
 * The number of contacts with each tag, exact and at the same cost for any number. The contacts that exist are counted in the order of
 * their IDs, thousands at a time, beside writers: until all of a workspace are counted, triggers count those up to the last one only.
 */
export class CountTags extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const statement of [...tables, begin, count, end]) this.addSql(statement);
  }
}

const tables = [
  // The row with an empty tag, which no contact can have, counts the unsubscribed ones.
  `create table if not exists contacts.tag_counters (
    workspace_id uuid not null,
    tag text collate "C" not null,
    contacts bigint not null,
    primary key (workspace_id, tag)
  ) with (fillfactor = 50)`,
  `create table if not exists contacts.uncounted_tags (
    workspace_id uuid primary key,
    counted_to uuid not null
  )`,
];

/** What is counted of a contact. */
const tagsOf = (row: string): string =>
  `jsonb_array_elements_text(case ${row}.status when 'unsubscribed' then ${row}.tags || '[""]' else ${row}.tags end)`;

/** In the order of keys, so that two writers never wait for each other in a circle. A tag without contacts has no row. */
const add = (workspaceId: string, tags: string): string => `
    for empty in
      with counted as (
        insert into contacts.tag_counters as t (workspace_id, tag, contacts)
        ${tags}
        on conflict (workspace_id, tag) do update set contacts = t.contacts + excluded.contacts
        returning t.*
      )
      select * from counted where contacts = 0
    loop
      delete from contacts.tag_counters t where t.workspace_id = ${workspaceId} and t.tag = empty.tag;
    end loop;
    return null;`;

/** @param isEnd whether all contacts are counted */
function functions(isEnd: boolean): string[] {
  const uncounted = (row: string) =>
    `exists (select from contacts.uncounted_tags u where u.workspace_id = ${row}.workspace_id and u.counted_to < ${row}.id)`;
  return [
    `create or replace function contacts.count_tags() returns trigger language plpgsql as $f$
  declare
    empty contacts.tag_counters;
  begin
    if not exists (select from changed where tags <> '[]' or status = 'unsubscribed') then
      return null;
    end if;${
      isEnd
        ? ''
        : `
    perform from contacts.uncounted_tags where workspace_id in (select workspace_id from changed) order by workspace_id for share;`
    }${add(
      'empty.workspace_id',
      `select c.workspace_id, tag, count(*) * (case tg_op when 'INSERT' then 1 else -1 end)
        from changed c, ${tagsOf('c')} tag${isEnd ? '' : ` where not ${uncounted('c')}`}
        group by c.workspace_id, tag order by c.workspace_id, tag`,
    )}
  end $f$`,
    `create or replace function contacts.recount_tags() returns trigger language plpgsql as $f$
  declare
    empty contacts.tag_counters;
  begin${
    isEnd
      ? ''
      : `
    perform from contacts.uncounted_tags where workspace_id = new.workspace_id for share;
    if ${uncounted('new')} then
      return null;
    end if;`
  }${add(
    'new.workspace_id',
    `select new.workspace_id, tag, sum(n)
        from (select ${tagsOf('new')} as tag, 1 as n union all select ${tagsOf('old')}, -1) changed
        group by tag having sum(n) <> 0 order by tag`,
  )}
  end $f$`,
  ];
}

const triggers = [
  `create trigger contacts_tags_counted_in after insert on contacts.contacts
   referencing new table as changed for each statement execute function contacts.count_tags()`,
  `create trigger contacts_tags_counted_out after delete on contacts.contacts
   referencing old table as changed for each statement execute function contacts.count_tags()`,
  // Not by statements: most updates change no tags, and would keep their rows for it.
  `create trigger contacts_tags_recounted after update on contacts.contacts
   for each row when (new.tags <> old.tags or new.status <> old.status) execute function contacts.recount_tags()`,
];

/** Once, with the triggers: every workspace that has contacts has counters of all of them. */
const begin = `do $$ begin
    if exists (select from pg_trigger where tgname = 'contacts_tags_recounted' and tgrelid = 'contacts.contacts'::regclass) then
      return;
    end if;
    ${[...functions(false), ...triggers].join(';\n    ')};
    insert into contacts.uncounted_tags (workspace_id, counted_to)
    select distinct workspace_id, '00000000-0000-0000-0000-000000000000'::uuid from contacts.counters;
  end $$`;

/** Each part waits for the writers that have decided what to count, and the next ones for it. */
const count = `do $$
  declare
    part contacts.uncounted_tags;
    last uuid;
  begin
    loop
      select * into part from contacts.uncounted_tags order by workspace_id limit 1 for update;
      exit when not found;
      with next as materialized (
        select id, tags, status from contacts.contacts
        where workspace_id = part.workspace_id and id > part.counted_to order by id limit 5000
      ), counted as (
        insert into contacts.tag_counters as t (workspace_id, tag, contacts)
        select part.workspace_id, tag, count(*) from next, ${tagsOf('next')} tag group by tag order by tag
        on conflict (workspace_id, tag) do update set contacts = t.contacts + excluded.contacts
      )
      select (select id from next order by id desc limit 1) into last;
      if last is null then
        delete from contacts.uncounted_tags where workspace_id = part.workspace_id;
      else
        update contacts.uncounted_tags set counted_to = last where workspace_id = part.workspace_id;
      end if;
      commit;
    end loop;
  end $$`;

/** Waits for writers, so that no trigger reads a table that is dropped. */
const end = `do $$ begin
    lock table contacts.contacts in share row exclusive mode;
    ${functions(true).join(';\n    ')};
    drop table contacts.uncounted_tags;
  end $$`;
