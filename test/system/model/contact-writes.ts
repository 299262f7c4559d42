import { isDeepStrictEqual } from 'node:util';
import { emailKey, type PropertyValue } from '@roster/contracts';
import type { Contact } from '../client.js';
import { areOfTheirTypes } from './property-types.js';
import type { WorkspaceState } from './workspace-state.js';

/** What only the system can choose, as far as an answer contains it. */
export interface Chosen {
  id?: string | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
  /** Number of IDs of contacts before the request: the ID of a new contact is greater than those. */
  idsBefore: number;
}

/** What a write must be answered. */
export type Outcome =
  | { contact: Contact; isNew?: boolean; notice?: Notice | undefined }
  /** The contacts that have the address or external ID already. */
  | { taken: Contact[] }
  | { fault: 'invalid' };

type Notice = 'suppressed' | 'not_resubscribed';

/** The fields of a request. */
export type Fields = Partial<Omit<Contact, 'properties'>> & {
  properties?: Record<string, PropertyValue | null>;
  addTags?: string[];
  removeTags?: string[];
  resubscribe?: boolean;
};

export function createContact(
  model: WorkspaceState,
  { email = '', name = '', tags = [], properties = {}, externalId = null, ...given }: Fields,
  chosen: Chosen,
): Outcome {
  if (!areOfTheirTypes(model, properties)) return { fault: 'invalid' };
  const taken = takenBy(model, { email, externalId });
  if (taken.length > 0) return { taken };
  const { status = 'subscribed', resubscribe } = given;
  const { id = '', createdAt = '', idsBefore } = chosen;
  if (model.ids.contact.slice(0, idsBefore).some((earlier) => earlier >= id))
    throw new Error(`${id} is not the greatest ID`);
  const isNoticed = status === 'subscribed' && model.suppressed.has(emailKey(email));
  const created: Contact = {
    id,
    email,
    name,
    createdAt,
    tags: [...new Set(tags)],
    properties: withoutNulls(properties),
    status: isNoticed ? 'unsubscribed' : status,
    updatedAt: '',
    version: 1,
    externalId,
  };
  model.ids.contact.push(id);
  define(model, Object.keys(created.properties));
  return written(
    model,
    undefined,
    created,
    { resubscribe, notice: isNoticed && 'suppressed' },
    chosen,
  );
}

export function updateContact(
  model: WorkspaceState,
  contact: Contact,
  body: Fields,
  chosen: Chosen,
): Outcome {
  const given = withoutKept(model, contact, body.properties ?? {});
  if (!areOfTheirTypes(model, given)) return { fault: 'invalid' };
  const { email, name, status, externalId } = { ...contact, ...body };
  const taken = takenBy(model, { email, externalId }).filter(({ id }) => id !== contact.id);
  if (taken.length > 0) return { taken };
  const isMoved = emailKey(email) !== emailKey(contact.email);
  const isRefused =
    contact.status === 'subscribed' && isMoved && model.suppressed.has(emailKey(email));
  // Nobody is subscribed again, except by `resubscribe`.
  const isUnsubscribed = contact.status === 'unsubscribed' || isRefused;
  const fields = {
    email,
    name,
    externalId,
    tags: changedTags(contact, body),
    properties: withoutNulls({ ...contact.properties, ...given }),
    status: isUnsubscribed ? 'unsubscribed' : status,
  } as const;
  const code = isRefused ? 'suppressed' : 'not_resubscribed';
  const notice = status !== fields.status && code;
  define(
    model,
    Object.keys(given).filter((key) => given[key] !== null),
  );
  const after = versioned(contact, { ...contact, ...fields });
  return written(model, contact, after, { ...body, notice }, chosen);
}

/** Without the numbers and booleans that the contact has already from before their definition was deleted. */
const withoutKept = (
  { definitions }: WorkspaceState,
  { properties }: Contact,
  given: Record<string, PropertyValue | null>,
): Record<string, PropertyValue | null> =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) =>
        definitions.has(name) || typeof value === 'string' || value !== properties[name],
    ),
  );

export function upsertContact(model: WorkspaceState, body: Fields, chosen: Chosen): Outcome {
  const { email, externalId, ...given } = body;
  const owner = ownerOf(model, externalId);
  const addressed = email === undefined ? undefined : holderOf(model, email);
  // A contact with the address keeps its spelling.
  if (owner) {
    const isMoved = email !== undefined && owner !== addressed;
    return updateContact(model, owner, { ...given, ...(isMoved && { email }) }, chosen);
  }
  if (addressed) {
    const own = externalId !== undefined && { externalId };
    return updateContact(model, addressed, { ...given, ...own }, chosen);
  }
  if (email === undefined) return { fault: 'invalid' };
  const { tags = given.addTags ?? [] } = given;
  return { ...createContact(model, { ...body, tags }, chosen), isNew: true };
}

export function setStatus(
  model: WorkspaceState,
  contact: Contact,
  status: Contact['status'],
  chosen: Chosen,
): Contact {
  const after = versioned(contact, { ...contact, status });
  if (status === 'subscribed') model.suppressed.delete(emailKey(contact.email));
  return stored(model, contact, after, chosen);
}

/** The contact with an ID, or with what `email:` or `externalId:` names. */
export function contactOf(model: WorkspaceState, reference: string): Contact | undefined {
  const [prefix, ...rest] = reference.split(':');
  const name = rest.join(':');
  if (prefix === 'email') return holderOf(model, name);
  return prefix === 'externalId' ? ownerOf(model, name) : model.contacts.get(reference);
}

/** What was written is subscribed by `resubscribe`, which is a change of its own, and leaves nothing to notice. */
function written(
  model: WorkspaceState,
  before: Contact | undefined,
  after: Contact,
  { resubscribe, notice }: { resubscribe?: boolean | undefined; notice: Notice | false },
  chosen: Chosen,
): Outcome {
  if (!resubscribe || after.status === 'subscribed')
    return { contact: stored(model, before, after, chosen), notice: notice || undefined };
  suppress(model, after);
  return { contact: setStatus(model, after, 'subscribed', chosen) };
}

/**
 * The time of a change must be later than those of all earlier ones of the workspace. It is unknown after a batch, whose answer does
 * not contain it.
 */
function stored(
  model: WorkspaceState,
  before: Contact | undefined,
  after: Contact,
  { updatedAt }: Chosen,
): Contact {
  const contact = after === before ? after : { ...after, updatedAt: updatedAt ?? '' };
  if (after !== before && updatedAt !== undefined) {
    if (updatedAt <= model.lastChange)
      throw new Error(`${updatedAt} is not later than ${model.lastChange}`);
    model.lastChange = updatedAt;
  }
  suppress(model, contact);
  model.contacts.set(contact.id, contact);
  return contact;
}

/** What changes nothing changes no version. */
const versioned = (before: Contact, after: Contact): Contact =>
  isDeepStrictEqual(before, after) ? before : { ...after, version: before.version + 1 };

function suppress({ suppressed }: WorkspaceState, { email, status }: Contact): void {
  if (status === 'unsubscribed') suppressed.add(emailKey(email));
}

const changedTags = (
  contact: Contact,
  { tags = contact.tags, addTags = [], removeTags = [] }: Fields,
): string[] => [...new Set([...tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];

const withoutNulls = (properties: Record<string, PropertyValue | null>) =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)) as Record<
    string,
    PropertyValue
  >;

const takenBy = (
  model: WorkspaceState,
  { email, externalId }: Pick<Contact, 'email' | 'externalId'>,
): Contact[] =>
  [holderOf(model, email), ownerOf(model, externalId)].filter((holder) => holder !== undefined);

const holderOf = ({ contacts }: WorkspaceState, email: string): Contact | undefined =>
  [...contacts.values()].find((contact) => emailKey(contact.email) === emailKey(email));

const ownerOf = (
  { contacts }: WorkspaceState,
  externalId: string | null | undefined,
): Contact | undefined =>
  typeof externalId === 'string'
    ? [...contacts.values()].find((contact) => contact.externalId === externalId)
    : undefined;

function define({ definitions }: WorkspaceState, names: string[]): void {
  for (const name of names)
    if (!definitions.has(name))
      definitions.set(name, { id: undefined, label: name, type: 'string' });
}
