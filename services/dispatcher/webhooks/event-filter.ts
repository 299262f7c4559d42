import {
  changedFields,
  readCondition,
  type EventDetails,
  type FilterCondition,
  type WebhookFilter,
} from '@roster/contracts';

/** Whether an event matches the filter of a webhook. */
export type EventFilter = (event: FilteredEvent) => boolean;

type Test = (event: FilteredEvent) => boolean;

/** What filters read of an event. It is parsed at the first question, once for all webhooks of a workspace. */
export class FilteredEvent {
  readonly #kind: string;
  readonly #details: string | undefined;
  #parsed: EventDetails | null | undefined;
  #tags: ReadonlySet<string> | undefined;
  #changed: ReadonlySet<string> | undefined;

  constructor(kind: string, details: string | undefined) {
    this.#kind = kind;
    this.#details = details;
  }

  /** Kinds of contacts that later releases add have such a name too. */
  get isOfContact(): boolean {
    return this.#kind.startsWith('CONTACT_');
  }

  /** Undefined if the event has no details: the former release published it. */
  get contact(): EventDetails['contact'] | undefined {
    return this.#read()?.contact;
  }

  get tags(): ReadonlySet<string> | undefined {
    const tags = this.contact?.tags;
    return tags && (this.#tags ??= new Set(tags));
  }

  /** The names of changed fields, with `properties` if one of them changed. Undefined if they are unknown. */
  get changed(): ReadonlySet<string> | undefined {
    if (this.#changed) return this.#changed;
    const details = this.#read();
    if (!details) return undefined;
    const { previous, changed = previous && changedFields(previous), omitted = [] } = details;
    if (!changed && omitted.includes('changed')) return undefined;
    const names = new Set(changed);
    if (changed?.some((name) => name.startsWith('properties.'))) names.add('properties');
    return (this.#changed = names);
  }

  #read(): EventDetails | null {
    if (this.#parsed === undefined) this.#parsed = parsed(this.#details);
    return this.#parsed;
  }
}

/** A service with stolen credentials can publish anything. */
function parsed(details: string | undefined): EventDetails | null {
  if (details === undefined) return null;
  try {
    const { contact, previous, changed, omitted } = JSON.parse(details) as EventDetails;
    if (typeof contact !== 'object' || contact === null) return null;
    return { contact, previous, changed, omitted };
  } catch {
    return null;
  }
}

/**
 * The filter of a webhook as a function. An event that does not concern a contact does not match. What an event lacks, because it was
 * too large or the former release published it, matches: otherwise it would be lost.
 */
export function eventFilter(filter: WebhookFilter): EventFilter {
  const tests = testsOf(filter);
  return (event) => event.isOfContact && tests.every((test) => test(event));
}

function testsOf({ changed, tag = [], status, property = {} }: WebhookFilter): Test[] {
  const tests: Test[] = [];
  if (changed)
    tests.push((event) => {
      const names = event.changed;
      return names === undefined || changed.some((name) => names.has(name));
    });
  if (status !== undefined)
    tests.push(({ contact }) => !contact?.status || contact.status === status);
  for (const text of tag) {
    const isMet = testOf(text, false);
    tests.push(({ tags }) => !tags || isMet(tags));
  }
  for (const [name, text] of Object.entries(property)) {
    const isMet = testOf(text, true);
    tests.push(({ contact }) => {
      const properties = contact?.properties;
      if (!properties) return true;
      return isMet(new Set(Object.hasOwn(properties, name) ? [properties[name]!] : []));
    });
  }
  return tests;
}

/** Whether tags, or the value of a property, meet a condition. One that this release does not know matches nothing: the next one made it. */
function testOf(text: string, isOrdered: boolean): (values: ReadonlySet<string>) => boolean {
  const condition = readCondition(text, isOrdered);
  return 'problem' in condition ? () => false : (values) => meets(condition, values);
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
