import type { ContactPropertyType, PropertyValue } from '@roster/contracts';
import type { Contact } from '../client.js';
import type { WorkspaceState } from './workspace-state.js';

/** The value of a type that a text means, of the texts that the templates contain. Undefined if it means none. */
export function meaningOf(type: ContactPropertyType, text: string): PropertyValue | undefined {
  const trimmed = text.trim();
  const read: Record<ContactPropertyType, PropertyValue | undefined> = {
    string: text,
    number: trimmed === '' || Number.isNaN(Number(trimmed)) ? undefined : Number(trimmed),
    boolean: words.get(trimmed.toLowerCase()),
    date: /^\d{4}-\d\d-\d\d$/.test(trimmed) ? trimmed : undefined,
  };
  return read[type];
}

const words = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

const isOfType = (type: ContactPropertyType, value: PropertyValue): boolean =>
  type === 'date' ? value === meaningOf('date', String(value)) : typeof value === type;

export const typeOf = ({ definitions }: WorkspaceState, name: string): ContactPropertyType =>
  definitions.get(name)?.type ?? 'string';

/** Whether values are of the types of their properties. One that is null is removed. */
export const areOfTheirTypes = (
  model: WorkspaceState,
  properties: Record<string, PropertyValue | null>,
): boolean =>
  Object.entries(properties).every(
    ([name, value]) => value === null || isOfType(typeOf(model, name), value),
  );

/** What another type does to the values of a property, as an answer says it. */
export function changeOf(model: WorkspaceState, name: string, type: ContactPropertyType) {
  const all = having(model, name);
  const read = all.map(({ contact, value }) => ({ contact, value, as: convertedTo(type, value) }));
  const contradicting = read.filter(({ as }) => as === undefined);
  return {
    values: all.length,
    converted: read.filter(({ value, as }) => as !== undefined && as !== value).length,
    contradicting: contradicting.length,
    contacts: contradicting
      .map(({ contact }) => contact.id)
      .toSorted()
      .slice(0, 5),
  };
}

/** Converts the values of a property, each as a change of its contact. */
export function convert(model: WorkspaceState, name: string, type: ContactPropertyType): void {
  for (const { contact, value } of having(model, name)) {
    const as = convertedTo(type, value)!;
    if (as === value) continue;
    model.contacts.set(contact.id, {
      ...contact,
      properties: { ...contact.properties, [name]: as },
      version: contact.version + 1,
      // No answer contains it.
      updatedAt: '',
    });
  }
}

const convertedTo = (type: ContactPropertyType, value: PropertyValue): PropertyValue | undefined =>
  isOfType(type, value) ? value : meaningOf(type, String(value));

const having = ({ contacts }: WorkspaceState, name: string) =>
  [...contacts.values()].flatMap((contact) => {
    const value = valueOf(contact, name);
    return value === undefined ? [] : [{ contact, value }];
  });

const valueOf = ({ properties }: Contact, name: string): PropertyValue | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

/**
 * Whether contacts match conditions on one property, `plan:gte:1`. Undefined if a condition has a value that is not of its type, or
 * compares values that have no order.
 */
export function filterOf(
  model: WorkspaceState,
  conditions: readonly string[],
): ((contact: Contact) => boolean) | undefined {
  const tests = conditions.map((text) => {
    const [name, kind, list] = partsOf(text);
    const type = typeOf(model, name);
    const values = list.map((one) => meaningOf(type, one));
    if (values.includes(undefined) || (type === 'boolean' && /^[gl]te?$/.test(kind)))
      return undefined;
    return (contact: Contact) => meets(valueOf(contact, name), kind, values as PropertyValue[]);
  });
  return tests.includes(undefined) ? undefined : (contact) => tests.every((test) => test!(contact));
}

function partsOf(text: string): [name: string, kind: string, values: string[]] {
  const [, name = '', condition = ''] = /^(\w+):(.*)$/s.exec(text)!;
  if (condition === 'exists' || condition === 'missing') return [name, condition, []];
  const [, kind = 'is', value = condition] = /^(any|not|gte?|lte?):(.*)$/s.exec(condition) ?? [];
  return [name, kind, kind === 'any' ? value.split(',') : [value]];
}

function meets(
  value: PropertyValue | undefined,
  kind: string,
  others: readonly PropertyValue[],
): boolean {
  if (kind === 'exists' || kind === 'missing') return (value !== undefined) === (kind === 'exists');
  if (kind === 'not') return !others.includes(value!);
  if (kind === 'is' || kind === 'any') return others.includes(value!);
  const other = others[0]!;
  // From before a definition was deleted.
  if (value === undefined || typeof value !== typeof other) return false;
  if (value === other) return kind.endsWith('e');
  return value > other === kind.startsWith('g');
}
