import {
  changedFields,
  eventDetails,
  readAsType,
  readCondition,
  type EventDetails,
  type FilterCondition,
  type PropertyValue,
  type WebhookFilter,
} from '@roster/contracts';

/** What filters read of an event of a contact. A part is undefined if the event lacks it. */
export interface EventFacts {
  /** The names of changed fields, with `properties` if one of them changed. */
  changed: ReadonlySet<string> | undefined;
  tags: ReadonlySet<string> | undefined;
  status: string | undefined;
  properties: Readonly<Record<string, PropertyValue>> | undefined;
}

/** Whether an event of a contact matches the filter of a webhook. */
export type EventFilter = (event: EventFacts) => boolean;

/** Null if the event does not concern a contact. Kinds of contacts that later releases add have such a name too. */
export function factsOf(kind: string, details: string | undefined): EventFacts | null {
  if (!kind.startsWith('CONTACT_')) return null;
  const known = parsed(details);
  const { tags, status, properties } = known?.contact ?? {};
  return {
    changed: known && changedIn(known),
    tags: tags && new Set(tags),
    ...{ status, properties },
  };
}

/** A service with stolen credentials can publish anything. */
function parsed(details: string | undefined): EventDetails | undefined {
  if (details === undefined) return undefined;
  try {
    return eventDetails.parse(JSON.parse(details));
  } catch {
    return undefined;
  }
}

function changedIn({
  previous,
  changed = previous && changedFields(previous),
  omitted = [],
}: EventDetails): ReadonlySet<string> | undefined {
  if (!changed && omitted.includes('changed')) return undefined;
  const names = new Set(changed);
  if (changed?.some((name) => name.startsWith('properties.'))) names.add('properties');
  return names;
}

/**
 * The filter of a webhook as a function, which is made once for each of its versions. What an event lacks, because it was too large
 * or was published without details, matches: otherwise it would be lost.
 */
export function eventFilter(filter: WebhookFilter): EventFilter {
  const tests = testsOf(filter);
  return (event) => {
    for (const test of tests) if (!test(event)) return false;
    return true;
  };
}

function testsOf({ changed, tag = [], status, property = {} }: WebhookFilter): EventFilter[] {
  const tests: EventFilter[] = [];
  if (changed)
    tests.push(
      ({ changed: names }) => names === undefined || changed.some((one) => names.has(one)),
    );
  if (status !== undefined)
    tests.push((event) => event.status === undefined || event.status === status);
  for (const text of tag) {
    const isMet = testOf(text, false);
    tests.push(({ tags }) => tags === undefined || isMet(tags));
  }
  for (const [name, text] of Object.entries(property)) {
    const isMet = testOf(text, true);
    tests.push(({ properties }) => {
      if (properties === undefined) return true;
      return isMet(new Set(Object.hasOwn(properties, name) ? [properties[name]!] : []));
    });
  }
  return tests;
}

/** Whether tags, or the value of a property, meet a condition. One that this release does not know matches nothing: the next one made it. */
function testOf(text: string, isOrdered: boolean): (values: ReadonlySet<PropertyValue>) => boolean {
  const condition = readCondition(text, isOrdered);
  if ('problem' in condition) return () => false;
  return (values) => {
    const [value] = values;
    return typeof value === 'number' || typeof value === 'boolean'
      ? meetsTyped(condition, value)
      : meets(condition, values as ReadonlySet<string>);
  };
}

/** A text of a condition means a value of the type that the event has: `1.0` and `1` are the same number. */
function meetsTyped(condition: FilterCondition, value: number | boolean): boolean {
  const type = typeof value === 'number' ? 'number' : 'boolean';
  const isValue = (text: string) => readAsType(type, text) === value;
  if ('is' in condition) return isValue(condition.is);
  if ('any' in condition) return condition.any.some(isValue);
  if ('none' in condition) return !condition.none.some(isValue);
  if ('exists' in condition) return condition.exists;
  const other = readAsType(type, condition.value);
  // Booleans have no order.
  return typeof other === 'number' && comparisons[condition.than](Number(value) - other);
}

function meets(condition: FilterCondition, values: ReadonlySet<string>): boolean {
  if ('is' in condition) return values.has(condition.is);
  if ('any' in condition) return condition.any.some((value) => values.has(value));
  if ('none' in condition) return !condition.none.some((value) => values.has(value));
  if ('exists' in condition) return values.size > 0 === condition.exists;
  const { than, value } = condition;
  return [...values].some((one) => comparisons[than](orderOf(one, value)));
}

const comparisons = {
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
};

/** In the order of code points, as lists of contacts compare values. */
const orderOf = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
