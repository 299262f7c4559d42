import type { Statement } from './database.js';

const columns = 'id, email, name, tags, properties, status, created_at';

export const get: Statement = {
  name: 'contacts.get',
  text: `select ${columns} from contacts.contacts where workspace_id = $1 and id = $2`,
};

export const count: Statement = {
  name: 'contacts.count',
  text: `select count(*) as total from contacts.contacts where workspace_id = $1`,
};

export const list: Statement = {
  name: 'contacts.list',
  text: `
    select ${columns} from contacts.contacts
    where workspace_id = $1 and id > $2
    order by id limit $3 offset $4`,
};

export const findByEmail: Statement = {
  name: 'contacts.find-by-email',
  text: `select id from contacts.contacts where workspace_id = $1 and email_key = $2`,
};

/** Definitions of the properties named in `$<names>`, for the contacts written by a preceding CTE. */
const define = (names: number, written: string): string => `
    defined as (
      insert into contacts.contact_properties (workspace_id, id, name, label)
      select $1, gen_random_uuid(), name, name from unnest($${names}::text[]) as d (name)
      where exists (select from ${written})
      on conflict (workspace_id, name) do nothing
    )`;

/**
 * Inserts the contact, its event and the definitions of its properties in one statement: one round trip to the
 * database.
 */
export const create: Statement = {
  name: 'contacts.create',
  text: `
    with inserted as (
      insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (workspace_id, email_key) do nothing
      returning id
    ), announced as (
      insert into contacts.outbox (workspace_id, id, kind, body)
      select $1, $9, 'CONTACT_CREATED', $10 from inserted
    ), ${define(11, 'inserted')}
    select id from inserted`,
};

export const update: Statement = {
  name: 'contacts.update',
  text: `
    with before as (
      select * from contacts.contacts where workspace_id = $1 and id = $2 for update
    ), wanted as (
      select id, status, created_at,
        coalesce($3, email) as email, coalesce($4, email_key) as email_key, coalesce($5, name) as name,
        coalesce($6::jsonb, tags) as tags, (properties || $7::jsonb) - $8::text[] as properties,
        (email, name, tags, properties) as was
      from before
    ), written as (
      update contacts.contacts c
      set email = w.email, email_key = w.email_key, name = w.name, tags = w.tags, properties = w.properties
      from wanted w
      where c.workspace_id = $1 and c.id = w.id
        and (w.email, w.name, w.tags, w.properties) is distinct from w.was
      returning contacts.event_body($10, c.email, c.name, c.created_at) as body
    ), announced as (
      insert into contacts.outbox (workspace_id, id, kind, body)
      select $1, $9, 'CONTACT_UPDATED', body from written
    ), ${define(11, 'before')}
    select ${columns}, (select body from written) as body from wanted`,
};

export const remove: Statement = {
  name: 'contacts.delete',
  text: `
    with gone as (
      delete from contacts.contacts where workspace_id = $1 and id = $2
      returning contacts.event_body($4, email, name, created_at) as body
    ), announced as (
      insert into contacts.outbox (workspace_id, id, kind, body)
      select $1, $3, 'CONTACT_DELETED', body from gone
    )
    select body from gone`,
};
