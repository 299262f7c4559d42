import type { Router } from '@koa/router';
import { contactCursor, operations, decodeId, encodeId, type EventKind } from '@roster/contracts';
import type { Database } from './database.js';
import type { Monolith } from './monolith.js';
import * as sql from './contacts-sql.js';
import { Problem } from './problem.js';
import { check, readJson } from './read-input.js';
import type { Handler, State } from './state.js';
import { uuidV7 } from './uuid-v7.js';

export function contactRoutes(router: Router<State>, monolith: Monolith): void {
  const { keys } = monolith;
  const definitions = new Definitions();
  router.get('/contacts', keys.require('api_user'), listContacts(monolith));
  router.get('/contacts/:contactId', keys.require('user'), getContact(monolith));
  router.post('/contacts', keys.require('api_user'), createContact(monolith, definitions));
  router.put('/contacts/:contactId', keys.require('user'), updateContact(monolith, definitions));
  router.delete('/contacts/:contactId', keys.require('user'), deleteContact(monolith));
}

const listContacts =
  ({ database }: Monolith): Handler =>
  async (ctx) => {
    ctx.state.route = 'contacts.list';
    const { workspaceUuid } = ctx.state.caller;
    const { limit, offset, ...query } = ctx.query as Record<string, string>;
    const input = check(operations['contacts.list'].input, {
      ...query,
      ...(limit !== undefined && { limit: Number(limit) }),
      ...(offset !== undefined && { offset: Number(offset) }),
    });
    const after = input.after === undefined ? zero : contactCursor.uuid(input.after);
    if (after === undefined)
      throw new Problem('invalid', 'One or more fields are invalid.', {
        errors: [{ pointer: '/after', message: 'must be a cursor from `pagination.next`' }],
      });
    const [[counted], rows] = await Promise.all([
      database.query<{ total: string }>(sql.count, [workspaceUuid]),
      database.query<ContactRow>(sql.list, [workspaceUuid, after, input.limit + 1, input.offset]),
    ]);
    const shown = rows.slice(0, input.limit);
    const last = rows.length > input.limit ? shown.at(-1) : undefined;
    ctx.body = {
      contacts: shown.map(contactShape),
      pagination: {
        total: Number(counted!.total),
        limit: input.limit,
        offset: input.offset,
        next: last ? contactCursor.ofUuid(last.id) : null,
      },
    };
  };

const getContact =
  ({ database }: Monolith): Handler =>
  async (ctx) => {
    ctx.state.route = 'contacts.get';
    const id = idIn(ctx.params);
    const [row] = await database.query<ContactRow>(sql.get, [ctx.state.caller.workspaceUuid, id]);
    if (!row) throw missing();
    ctx.body = { contact: contactShape(row) };
  };

const createContact =
  ({ database, events }: Monolith, definitions: Definitions): Handler =>
  async (ctx) => {
    ctx.state.route = 'contacts.create';
    const { workspaceUuid } = ctx.state.caller;
    const input = check(operations['contacts.create'].input, await readJson(ctx));
    const { email, name, tags, properties } = input;
    const now = new Date();
    const id = uuidV7();
    const contact = { id: encodeId('contact', id), email, name, createdAt: now.toISOString() };
    const event = newEvent(workspaceUuid, 'CONTACT_CREATED', now, { contact });
    const undefinedNames = definitions.missing(workspaceUuid, Object.keys(properties));
    const [inserted] = await database.query(sql.create, [
      workspaceUuid,
      id,
      email,
      email.toLowerCase(),
      name,
      JSON.stringify(tags),
      JSON.stringify(properties),
      contact.createdAt,
      event.id,
      event.body,
      undefinedNames,
    ]);
    if (!inserted) throw await emailTaken(database, workspaceUuid, email);
    definitions.add(workspaceUuid, undefinedNames);
    events.publish(event);
    ctx.status = 201;
    ctx.set('Location', `/v1/contacts/${contact.id}`);
    ctx.body = { contact: { ...contact, tags, properties, status: 'subscribed' } };
  };

const updateContact =
  ({ database, events }: Monolith, definitions: Definitions): Handler =>
  async (ctx) => {
    ctx.state.route = 'contacts.update';
    const { workspaceUuid } = ctx.state.caller;
    const id = idIn(ctx.params);
    const input = check(operations['contacts.update'].input, {
      ...(await readJson(ctx)),
      contactId: ctx.params.contactId,
    });
    const { email, name, tags, properties = {} } = input;
    const entries = Object.entries(properties);
    const kept = entries.filter(([, value]) => value !== null);
    const undefinedNames = definitions.missing(
      workspaceUuid,
      kept.map(([key]) => key),
    );
    const event = newEvent(workspaceUuid, 'CONTACT_UPDATED', new Date());
    const rows = await database
      .query<ContactRow & { body: string | null }>(sql.update, [
        workspaceUuid,
        id,
        email ?? null,
        email?.toLowerCase() ?? null,
        name ?? null,
        tags === undefined ? null : JSON.stringify(tags),
        JSON.stringify(Object.fromEntries(kept)),
        entries.filter(([, value]) => value === null).map(([key]) => key),
        event.id,
        event.head(id),
        undefinedNames,
      ])
      .catch(async (error: { constraint?: string }) => {
        throw error.constraint === 'contacts_email'
          ? await emailTaken(database, workspaceUuid, email!)
          : error;
      });
    const [row] = rows;
    if (!row) throw missing();
    definitions.add(workspaceUuid, undefinedNames);
    if (row.body !== null) events.publish({ ...event, body: row.body });
    ctx.body = { contact: contactShape(row) };
  };

const deleteContact =
  ({ database, events }: Monolith): Handler =>
  async (ctx) => {
    ctx.state.route = 'contacts.delete';
    const { workspaceUuid } = ctx.state.caller;
    const id = idIn(ctx.params);
    const event = newEvent(workspaceUuid, 'CONTACT_DELETED', new Date());
    const [deleted] = await database.query<{ body: string }>(sql.remove, [
      workspaceUuid,
      id,
      event.id,
      event.head(id),
    ]);
    if (!deleted) throw missing();
    events.publish({ ...event, body: deleted.body });
    ctx.body = { deleted: true };
  };

async function emailTaken(
  database: Database,
  workspaceUuid: string,
  email: string,
): Promise<Problem> {
  const [existing] = await database.query<{ id: string }>(sql.findByEmail, [
    workspaceUuid,
    email.toLowerCase(),
  ]);
  return new Problem(
    'conflict',
    'A contact with this email already exists.',
    existing ? { existingId: encodeId('contact', existing.id) } : {},
  );
}

const zero = '00000000-0000-0000-0000-000000000000';
const missing = () => new Problem('not_found', 'No such contact.');

function idIn(params: Record<string, string>): string {
  const id = decodeId('contact', params.contactId!);
  if (id === undefined) throw missing();
  return id;
}

interface ContactRow {
  id: string;
  email: string;
  name: string;
  tags: string[];
  properties: Record<string, string>;
  status: string;
  created_at: Date;
}

const contactShape = ({ id, email, name, created_at, tags, properties, status }: ContactRow) => ({
  id: encodeId('contact', id),
  email,
  name,
  createdAt: created_at.toISOString(),
  tags,
  properties,
  status,
});

/** A new event. Either its body is given, or the database completes the head of the body from the row. */
function newEvent(workspaceUuid: string, kind: EventKind, now: Date, data?: object) {
  const created_at = now.toISOString();
  return {
    id: uuidV7(),
    workspaceUuid,
    kind,
    body: data ? JSON.stringify({ event: kind, created_at, data }) : '',
    head: (contact: string) =>
      `{"event":"${kind}","created_at":"${created_at}","data":{"contact":{"id":"${encodeId('contact', contact)}"`,
  };
}

/** The properties of each workspace that are known to be defined. */
class Definitions {
  readonly #known = new Set<string>();

  missing(workspaceUuid: string, names: readonly string[]): string[] {
    return names.filter((name) => !this.#known.has(`${workspaceUuid} ${name}`));
  }

  add(workspaceUuid: string, names: readonly string[]): void {
    for (const name of names) this.#known.add(`${workspaceUuid} ${name}`);
  }
}
