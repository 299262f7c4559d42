import {
  changedFields,
  contactPropertyTypes,
  eventDetails,
  readAsType,
  readCondition,
  valuesOf,
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
  /** All of these, as `required` of filters has them. Undefined if the event lacks a part. */
  values: readonly string[] | undefined;
}

/** The filter of a webhook. */
export interface EventFilter {
  matches: Test;
  /** Values of which an event that lacks no part must have one. Undefined if no condition requires a value. */
  required: readonly string[] | undefined;
}

type Test = (event: EventFacts) => boolean;

/** Null if the event does not concern a contact. Kinds of contacts that later releases add have such a name too. */
export function factsOf(kind: string, details: string | undefined): EventFacts | null {
  if (!kind.startsWith('CONTACT_')) return null;
  const known = parsed(details);
  const { tags, status, properties } = known?.contact ?? {};
  const facts = {
    changed: known && changedIn(known),
    tags: tags && new Set(tags),
    ...{ status, properties },
  };
  return { ...facts, values: valuesIn(facts) };
}

function valuesIn({ changed, tags, status, properties }: Omit<EventFacts, 'values'>) {
  if (!changed || !tags || status === undefined || !properties) return undefined;
  return [
    ...[...changed].map((name) => valueOf.changed(name)),
    ...[...tags].map((tag) => valueOf.tag(tag)),
    valueOf.status(status),
    ...Object.entries(properties).flatMap(([name, value]) => [
      valueOf.name(name),
      valueOf.property(name, String(value)),
    ]),
  ];
}

/** Values of events as texts of their own. */
const valueOf = {
  changed: (name: string) => `changed ${name}`,
  tag: (tag: string) => `tag ${tag}`,
  status: (status: string) => `status ${status}`,
  /** A property with any value. */
  name: (name: string) => `property ${name}`,
  property: (name: string, value: string) => `property ${name}=${value}`,
};

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
  return { matches: (event) => tests.every((test) => test(event)), required: requiredBy(filter) };
}

/** The values of the condition that requires the rarest ones, supposedly: the others are tested when an event has one of them. */
function requiredBy({ changed, tag = [], status, property = {} }: WebhookFilter) {
  const conditions = propertyConditions(property).map(({ name, text }) => {
    const condition = readCondition(text, true);
    return { name, condition };
  });
  for (const { name, condition } of conditions) {
    const texts = requiredTexts(condition);
    if (texts) return texts.flatMap(asAnyType).map((text) => valueOf.property(name, text));
  }
  for (const text of tag) {
    const tags = requiredTexts(readCondition(text, false));
    if (tags) return tags.map((one) => valueOf.tag(one));
  }
  for (const { name, condition } of conditions)
    if ('than' in condition || ('exists' in condition && condition.exists))
      return [valueOf.name(name)];
  if (changed) return changed.map((name) => valueOf.changed(name));
  return status === undefined ? undefined : [valueOf.status(status)];
}

/** Each condition on a property, of which one can have several. */
const propertyConditions = (property: NonNullable<WebhookFilter['property']>) =>
  Object.entries(property).flatMap(([name, given]) =>
    [given].flat().map((text) => ({ name, text })),
  );

function requiredTexts(condition: ReturnType<typeof readCondition>): string[] | undefined {
  if ('is' in condition) return [condition.is];
  return 'any' in condition ? condition.any : undefined;
}

/** A text of a condition means a value of any type. */
const asAnyType = (text: string): string[] =>
  contactPropertyTypes
    .map((type) => readAsType(type, text))
    .filter((value) => value !== undefined)
    .map(String);

function testsOf({ changed, tag = [], status, property = {} }: WebhookFilter): Test[] {
  const tests: Test[] = [];
  if (changed)
    tests.push(
      ({ changed: names }) => names === undefined || changed.some((one) => names.has(one)),
    );
  if (status !== undefined)
    tests.push((event) => event.status === undefined || event.status === status);
  for (const text of tag) {
    const isMet = tagTest(text);
    tests.push(({ tags }) => tags === undefined || isMet(tags));
  }
  for (const { name, text } of propertyConditions(property)) {
    const isMet = propertyTest(text);
    tests.push(
      ({ properties }) =>
        properties === undefined ||
        isMet(Object.hasOwn(properties, name) ? properties[name] : undefined),
    );
  }
  return tests;
}

/** A condition that this release does not know matches nothing: the next one made it. */
const matchesNothing = () => false;

function tagTest(text: string): (tags: ReadonlySet<string>) => boolean {
  const condition = readCondition(text, false);
  if ('problem' in condition) return matchesNothing;
  if ('exists' in condition) return (tags) => tags.size > 0 === condition.exists;
  const values = valuesOf(condition);
  const isWanted = !('none' in condition);
  return (tags) => values.some((value) => tags.has(value)) === isWanted;
}

function propertyTest(text: string): (value: PropertyValue | undefined) => boolean {
  const condition = readCondition(text, true);
  if ('problem' in condition) return matchesNothing;
  const isMetByNone = 'none' in condition || ('exists' in condition && !condition.exists);
  // A text means a value of the type that the event has: `1.0` and `1` are the same number.
  const byType = {
    string: valueTest(condition, (one) => one),
    number: valueTest(condition, (one) => readAsType('number', one)),
    boolean: valueTest(condition, (one) => readAsType('boolean', one)),
  };
  return (value) =>
    value === undefined ? isMetByNone : byType[typeof value as keyof typeof byType](value);
}

/** @param read a text of the condition as a value; undefined if it is none */
function valueTest(
  condition: FilterCondition,
  read: (text: string) => PropertyValue | undefined,
): (value: PropertyValue) => boolean {
  if ('exists' in condition) return () => condition.exists;
  if ('than' in condition) {
    const other = read(condition.value);
    // Booleans have no order.
    if (other === undefined || typeof other === 'boolean') return matchesNothing;
    const holds = comparisons[condition.than];
    return (value) => holds(orderOf(value, other));
  }
  const values = new Set(valuesOf(condition).map(read));
  const isWanted = !('none' in condition);
  return (value) => values.has(value) === isWanted;
}

const comparisons = {
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
};

/** Of two values of a type: texts in the order of code points, as lists of contacts compare values. */
const orderOf = (a: PropertyValue, b: PropertyValue): number =>
  typeof a === 'string' && typeof b === 'string'
    ? Buffer.compare(Buffer.from(a), Buffer.from(b))
    : Number(a) - Number(b);
