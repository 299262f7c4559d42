import { isDeepStrictEqual } from 'node:util';
import { contactCursor, emailKey } from '@roster/contracts';
import type { Contact } from '../client.js';
import {
  byId,
  expect,
  expectFault,
  type Answer,
  type Definition,
  type Request,
  type Rule,
  type Rules,
  type WorkspaceState,
} from './workspace-state.js';

/** Rules of contacts and of the definitions of their properties. */
export const contactRules: Rules = {
  'contacts.create'(model, { body, idsBefore }, answer) {
    const created = newContact(body as Partial<Contact>);
    const taken = holderOf(model, created.email);
    if (taken) return expectFault(answer, 409, 'conflict', taken.id);
    const { id, createdAt } = answer.body['contact'] ?? {};
    const isNoticed = created.status === 'subscribed' && isSuppressed(model, created.email);
    const status = isNoticed ? 'unsubscribed' : created.status;
    const contact = changed(model, undefined, { ...created, id, createdAt, status }, answer);
    const notices = noticesIn(answer, isNoticed && 'suppressed');
    expect(answer, { status: 201, body: { contact, ...notices } });
    suppress(model, contact);
    if (model.ids.contact.slice(0, idsBefore).some((earlier) => earlier >= id))
      throw new Error(`${id} is not the greatest ID`);
    model.ids.contact.push(id);
    model.contacts.set(id, contact);
    define(model, Object.keys(contact.properties));
  },
  'contacts.upsert'(model, request, answer) {
    const { email, ...given } = request.body as Partial<Contact> & TagChanges;
    const contact = holderOf(model, email!);
    const { created, ...body } = answer.body;
    expect({ status: answer.status, body: { created } }, contact ? upserted(200) : upserted(201));
    const { properties = {}, addTags = [], removeTags: _, tags = addTags, ...others } = given;
    if (contact) {
      const update = { ...request, id: contact.id, body: given };
      return contactRules['contacts.update']!(model, update, { status: 200, body });
    }
    const create = {
      ...request,
      body: { email, ...others, tags, properties: withoutNulls(properties) },
    };
    return contactRules['contacts.create']!(model, create, { status: 201, body });
  },
  'contacts.batch'(model, request, answer) {
    const { operations } = request.body as {
      operations: ({ action: string } & Partial<Contact>)[];
    };
    const results = (answer.body['results'] ?? []) as Answer['body'][];
    expect(
      { status: answer.status, body: { count: results.length } },
      { status: 200, body: { count: operations.length } },
    );
    const idsBefore = model.ids.contact.length;
    for (const [index, { action, ...body }] of operations.entries()) {
      const { status, problem, id, notices } = results[index]!;
      const known = holderOf(model, body.email!);
      // A result does not contain the contact.
      const email = known?.email ?? body.email!;
      const isKept = known?.status === 'unsubscribed' || (!known && isSuppressed(model, email));
      const contact = {
        ...newContact(body),
        ...known,
        ...body,
        ...(isKept && { status: 'unsubscribed' as const }),
        email,
        id: id as string,
        updatedAt: undefined,
        version: undefined,
      };
      const isUpsert = action === 'upsert' && problem === undefined;
      const shown = {
        ...(isUpsert && { created: status === 201 }),
        contact,
        ...(notices && { notices }),
      };
      contactRules[`contacts.${action}` as 'contacts.create' | 'contacts.upsert']!(
        model,
        { ...request, body, idsBefore },
        { status, body: problem ?? shown },
      );
    }
  },
  'contacts.get': onContact((_, contact, __, answer) =>
    expect(answer, { status: 200, body: { contact } }),
  ),
  'contacts.update': onContact((model, contact, { body = {} }, answer) => {
    const {
      email = contact.email,
      name = contact.name,
      status = contact.status,
    } = body as Partial<Contact>;
    const taken = holderOf(model, email);
    // A conflict with a contact that is deleted at the same time has no existingId.
    if (taken && taken.id !== contact.id)
      return expectFault(answer, 409, 'conflict', answer.body['existingId'] && taken.id);
    const tags = changedTags(contact, body);
    const given = (body['properties'] ?? {}) as Record<string, string | null>;
    const properties = withoutNulls({ ...contact.properties, ...given });
    const isNew = emailKey(email) !== emailKey(contact.email);
    const isRefused = contact.status === 'subscribed' && isNew && isSuppressed(model, email);
    // Nobody is subscribed again.
    const isUnsubscribed = contact.status === 'unsubscribed' || isRefused;
    const after = isUnsubscribed ? 'unsubscribed' : status;
    const code = isRefused ? 'suppressed' : 'not_resubscribed';
    const notices = noticesIn(answer, status !== after && code);
    const fields = { email, name, tags, properties, status: after };
    const updated = changed(model, contact, { ...contact, ...fields }, answer);
    expect(answer, { status: 200, body: { contact: updated, ...notices } });
    suppress(model, updated);
    model.contacts.set(contact.id, updated);
    define(
      model,
      Object.keys(given).filter((key) => given[key] !== null),
    );
  }),
  'contacts.delete': onContact((model, contact, _, answer) => {
    expect(answer, { status: 200, body: { deleted: true } });
    model.contacts.delete(contact.id);
  }),
  'contacts.unsubscribe': onContact((model, contact, _, answer) =>
    setStatus(model, contact, 'unsubscribed', answer),
  ),
  'contacts.resubscribe': onContact((model, contact, _, answer) =>
    setStatus(model, contact, 'subscribed', answer),
  ),
  'contacts.list'(model, { query }, answer) {
    const { limit, after = '' } = query!;
    const contacts = [...model.contacts.values()].toSorted(byId);
    const rest = contacts.filter(({ id }) => contactCursor.of(id) > after);
    const page = rest.slice(0, limit);
    const next = rest.length > limit ? contactCursor.of(page.at(-1)!.id) : null;
    const pagination = { total: contacts.length, limit, offset: 0, next };
    expect(answer, { status: 200, body: { contacts: page, pagination } });
  },

  'contact-properties.create'(model, { body }, answer) {
    const { name, label } = body as { name: string; label: string };
    if (model.definitions.has(name))
      return expectFault(answer, 409, 'conflict', answer.body['existingId']);
    const { id, createdAt } = answer.body['property'] ?? {};
    expect(answer, {
      status: 201,
      body: { property: { id, name, label, type: 'string', createdAt } },
    });
    model.ids.contactProperty.push(id);
    model.definitions.set(name, { id, label });
  },
  'contact-properties.update'(model, { id, body }, answer) {
    const [name, definition] = definitionOf(model, id);
    if (!definition) return expectFault(answer, 404, 'not_found');
    const label = body!['label'] as string;
    const { createdAt } = answer.body['property'] ?? {};
    expect(answer, {
      status: 200,
      body: { property: { id, name, label, type: 'string', createdAt } },
    });
    model.definitions.set(name, { ...definition, label });
  },
  'contact-properties.delete'(model, { id }, answer) {
    const [name, definition] = definitionOf(model, id);
    if (!definition) return expectFault(answer, 404, 'not_found');
    expect(answer, { status: 200, body: { deleted: true } });
    model.definitions.delete(name);
  },
  'contact-properties.list'(model, _, answer) {
    const listed = (answer.body['properties'] ?? []) as {
      id: string;
      name: string;
      label: string;
    }[];
    const found = listed.map(({ name, label }) => ({ name, label })).toSorted(byName);
    const expected = [...model.definitions]
      .map(([name, { label }]) => ({ name, label }))
      .toSorted(byName);
    expect({ status: answer.status, body: { found } }, { status: 200, body: { found: expected } });
    for (const { id, name } of listed) {
      const definition = model.definitions.get(name)!;
      if (definition.id !== undefined && definition.id !== id)
        throw new Error(`${name} has another ID: ${id}`);
      if (definition.id === undefined) model.ids.contactProperty.push(id);
      definition.id = id;
    }
  },
};

const isSuppressed = ({ suppressed }: WorkspaceState, email: string): boolean =>
  suppressed.has(emailKey(email));

function suppress({ suppressed }: WorkspaceState, { email, status }: Contact): void {
  if (status === 'unsubscribed') suppressed.add(emailKey(email));
}

/** The notices of an answer that must have one of this code, or else none. */
function noticesIn({ body }: Answer, code: string | false): object {
  const { notices } = body;
  if (notices?.[0]?.code !== (code || undefined)) throw new Error(`not noticed: ${code}`);
  return code ? { notices } : {};
}

/** Changes of single tags. */
interface TagChanges {
  tags?: string[];
  addTags?: string[];
  removeTags?: string[];
}

const changedTags = (
  contact: Contact,
  { tags = contact.tags, addTags = [], removeTags = [] }: TagChanges,
): string[] => [...new Set([...tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];

const upserted = (status: 200 | 201) => ({ status, body: { created: status === 201 } });

/** The time of creation is undefined: see `expect`. */
const newContact = ({
  email,
  name = '',
  tags = [],
  properties = {},
  status = 'subscribed',
}: Partial<Contact>) => ({
  email: email!,
  name,
  createdAt: undefined as never,
  tags: [...new Set(tags)],
  properties,
  status,
  externalId: null,
});

/**
 * The contact with its version, and the time of its change in the answer, which must be later than those of all earlier changes of
 * the workspace. The time is unknown after a batch, whose answer does not contain it.
 */
function changed(
  model: WorkspaceState,
  before: Contact | undefined,
  after: Omit<Contact, 'updatedAt' | 'version'>,
  { body }: Answer,
): Contact {
  if (before && isDeepStrictEqual(before, after)) return before;
  const { updatedAt } = body['contact'] ?? {};
  if (updatedAt !== undefined) {
    if (updatedAt <= model.lastChange)
      throw new Error(`${updatedAt} is not later than ${model.lastChange}`);
    model.lastChange = updatedAt;
  }
  return { ...after, updatedAt, version: (before?.version ?? 0) + 1 };
}

const withoutNulls = (properties: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)) as Record<
    string,
    string
  >;

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

const holderOf = ({ contacts }: WorkspaceState, email: string): Contact | undefined =>
  [...contacts.values()].find((contact) => emailKey(contact.email) === emailKey(email));

function define({ definitions }: WorkspaceState, names: string[]): void {
  for (const name of names)
    if (!definitions.has(name)) definitions.set(name, { id: undefined, label: name });
}

const definitionOf = (
  { definitions }: WorkspaceState,
  id: string | undefined,
): [string, Definition?] => [...definitions].find(([, definition]) => definition.id === id) ?? [''];

function onContact(
  rule: (model: WorkspaceState, contact: Contact, request: Request, answer: Answer) => void,
): Rule {
  return (model, request, answer) => {
    const contact = model.contacts.get(request.id!);
    if (contact) rule(model, contact, request, answer);
    else expectFault(answer, 404, 'not_found');
  };
}

function setStatus(
  model: WorkspaceState,
  contact: Contact,
  status: Contact['status'],
  answer: Answer,
): void {
  const updated = changed(model, contact, { ...contact, status }, answer);
  expect(answer, { status: 200, body: { contact: updated } });
  model.contacts.set(contact.id, updated);
  if (status === 'subscribed') model.suppressed.delete(emailKey(contact.email));
  suppress(model, updated);
}
