import { contactCursor, type ContactPropertyType } from '@roster/contracts';
import type { Contact } from '../client.js';
import {
  contactOf,
  createContact,
  setStatus,
  updateContact,
  upsertContact,
  type Chosen,
  type Fields,
  type Outcome,
} from './contact-writes.js';
import { areOfTheirTypes, changeOf, convert, filterOf } from './property-types.js';
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
  'contacts.create': (model, { body }, answer) =>
    expectOutcome(answer, createContact(model, body as Fields, chosenIn(model, answer)), 201),
  'contacts.upsert'(model, { body }, answer) {
    const outcome = upsertContact(model, body as Fields, chosenIn(model, answer));
    const isNew = 'isNew' in outcome;
    const created = 'contact' in outcome ? { created: isNew } : {};
    expectOutcome(answer, outcome, isNew ? 201 : 200, created);
  },
  'contacts.batch'(model, { body }, answer) {
    const { operations } = body as { operations: BatchOperation[] };
    const results = (answer.body['results'] ?? []) as Answer['body'][];
    expect(
      { status: answer.status, body: { count: results.length } },
      { status: 200, body: { count: operations.length } },
    );
    const idsBefore = model.ids.contact.length;
    for (const [index, operation] of operations.entries())
      applyOperation(model, operation, results[index]!, idsBefore);
  },
  'contacts.get': onContact((_, contact, __, answer) =>
    expect(answer, { status: 200, body: { contact } }),
  ),
  'contacts.update': onContact((model, contact, { body = {} }, answer) =>
    expectOutcome(answer, updateContact(model, contact, body, chosenIn(model, answer)), 200),
  ),
  'contacts.delete': onContact((model, contact, request, answer) => {
    // The path contains no ID.
    const named = request.id !== contact.id && { id: contact.id };
    expect(answer, { status: 200, body: { deleted: true, ...named } });
    model.contacts.delete(contact.id);
  }),
  'contacts.unsubscribe': onContact((model, contact, _, answer) => {
    const updated = setStatus(model, contact, 'unsubscribed', chosenIn(model, answer));
    expect(answer, { status: 200, body: { contact: updated } });
  }),
  'contacts.resubscribe': onContact((model, contact, _, answer) => {
    const updated = setStatus(model, contact, 'subscribed', chosenIn(model, answer));
    expect(answer, { status: 200, body: { contact: updated } });
  }),
  'contacts.list'(model, { query, isAlone }, answer) {
    const { limit, after = '', property = [] } = query!;
    const isWanted = filterOf(model, property);
    if (!isWanted) return expectFault(answer, 422, 'invalid');
    const contacts = [...model.contacts.values()].filter(isWanted).toSorted(byId);
    const rest = contacts.filter(({ id }) => contactCursor.of(id) > after);
    const page = rest.slice(0, limit);
    const next = rest.length > limit ? contactCursor.of(page.at(-1)!.id) : null;
    // A filter's contacts may be counted after the page was read: writes at the same time are in one of them only.
    const isOneMoment = isAlone || property.length === 0;
    const total = isOneMoment ? contacts.length : answer.body['pagination']?.total;
    const pagination = { total, limit, offset: 0, next };
    expect(answer, { status: 200, body: { contacts: page, pagination } });
  },

  'contact-properties.create'(model, { body }, answer) {
    const { name = '', label = '', type = 'string' } = body as PropertyBody;
    // Contacts keep the values of a property that was deleted. A string may have values of other types.
    const isContradicted = type !== 'string' && changeOf(model, name, type).contradicting > 0;
    if (model.definitions.has(name) || isContradicted)
      return expectFault(answer, 409, 'conflict', answer.body['existingId']);
    const { id, createdAt } = answer.body['property'] ?? {};
    expect(answer, { status: 201, body: { property: { id, name, label, type, createdAt } } });
    if (type !== 'string') convert(model, name, type);
    model.ids.contactProperty.push(id);
    model.definitions.set(name, { id, label, type });
  },
  'contact-properties.update'(model, { id, body, isAlone }, answer) {
    const [name, definition] = definitionOf(model, id);
    if (!definition) return expectFault(answer, 404, 'not_found');
    const { label = definition.label, type = definition.type, dryRun } = body as PropertyBody;
    const isRetyped = type !== definition.type;
    const change = changeOf(model, name, type);
    const isRefused = isRetyped && change.contradicting > 0;
    if (isRefused && !dryRun) return expectFault(answer, 409, 'conflict');
    const after = dryRun ? definition : { ...definition, label, type };
    const { property, change: found } = answer.body;
    expect(
      { status: answer.status, body: { property, change: found && countsOf(found, change) } },
      {
        status: 200,
        body: {
          property: { name, ...after, createdAt: property?.createdAt },
          // Values that are written at the same time are converted, or not, after they were counted.
          change: isRetyped ? (isAlone ? change : countsOf(found ?? {}, change)) : undefined,
        },
      },
    );
    if (isRetyped && !dryRun) convert(model, name, type);
    model.definitions.set(name, after);
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
      type: string;
    }[];
    const found = listed.map(({ name, label, type }) => ({ name, label, type })).toSorted(byName);
    const expected = [...model.definitions]
      .map(([name, { label, type }]) => ({ name, label, type }))
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

interface PropertyBody {
  name?: string;
  label?: string;
  type?: ContactPropertyType;
  dryRun?: boolean;
}

/** Of the fields of an answer, those that the model knows. */
const countsOf = (found: object, known: object): object =>
  Object.fromEntries(Object.entries(found).filter(([name]) => name in known));

type BatchOperation = Fields & { action: 'create' | 'upsert' | 'update' | 'delete'; id?: string };

/** An operation of a batch, whose result does not contain the contact. */
function applyOperation(
  model: WorkspaceState,
  { action, id: reference = '', ...fields }: BatchOperation,
  { status, id, problem, notices }: Answer['body'],
  idsBefore: number,
): void {
  const chosen = { id: id as string | undefined, idsBefore };
  const answer = { status: status as number, body: (problem ?? { id, notices }) as Answer['body'] };
  const expectResult = (outcome: Outcome) => {
    if (!('contact' in outcome)) return expectOutcome(answer, outcome, 200);
    const isNew = action === 'create' || outcome.isNew;
    const noticed = noticesIn(answer, outcome.notice);
    expect(answer, {
      status: isNew ? 201 : 200,
      body: { id: outcome.contact.id, notices: undefined, ...noticed },
    });
  };
  if (action === 'create') return expectResult(createContact(model, fields, chosen));
  if (action === 'upsert') return expectResult(upsertContact(model, fields, chosen));
  const contact = contactOf(model, reference);
  if (!contact) return expectMissing(model, reference, fields, answer);
  if (action === 'update') return expectResult(updateContact(model, contact, fields, chosen));
  expectResult({ contact });
  model.contacts.delete(contact.id);
}

const chosenIn = (model: WorkspaceState, { body }: Answer): Chosen => ({
  ...(body['contact'] as Contact | undefined),
  idsBefore: model.ids.contact.length,
});

/** @param more what the answer contains beside the contact */
function expectOutcome(answer: Answer, outcome: Outcome, status: number, more: object = {}): void {
  if ('fault' in outcome) return expectFault(answer, 422, outcome.fault);
  if ('taken' in outcome) {
    const existingId = answer.body['existingId'] as string | undefined;
    const { taken } = outcome;
    const named = taken.find(({ id }) => id === existingId) ?? taken[0]!;
    // A conflict with a contact that is deleted at the same time has no existingId.
    return expectFault(answer, 409, 'conflict', existingId && named.id);
  }
  const { contact, notice } = outcome;
  expect(answer, { status, body: { ...more, contact, ...noticesIn(answer, notice) } });
}

/** The notices of an answer that must have one of this code, or else none. */
function noticesIn({ body }: Answer, code: string | undefined): object {
  const { notices } = body;
  if (notices?.[0]?.code !== code) throw new Error(`not noticed: ${code}`);
  return code === undefined ? {} : { notices };
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

const definitionOf = (
  { definitions }: WorkspaceState,
  id: string | undefined,
): [string, Definition?] => [...definitions].find(([, definition]) => definition.id === id) ?? [''];

function onContact(
  rule: (model: WorkspaceState, contact: Contact, request: Request, answer: Answer) => void,
): Rule {
  return (model, request, answer) => {
    const contact = contactOf(model, request.id!);
    if (contact) rule(model, contact, request, answer);
    else expectMissing(model, request.id!, request.body, answer);
  };
}

/** Values are compared with their types before a contact is looked up by its ID. */
function expectMissing(
  model: WorkspaceState,
  reference: string,
  { properties = {} }: Fields = {},
  answer: Answer,
): void {
  const isFirst = reference.includes(':') || areOfTheirTypes(model, properties);
  if (isFirst) expectFault(answer, 404, 'not_found');
  else expectFault(answer, 422, 'invalid');
}
