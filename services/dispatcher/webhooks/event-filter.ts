import {
  changedFields,
  meets,
  readCondition,
  valueMeets,
  type Condition,
  type EventDetails,
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
  if (status !== undefined) {
    const condition = read(status);
    tests.push(({ contact }) => !contact?.status || valueMeets(condition, contact.status));
  }
  for (const text of tag) {
    const condition = read(text);
    tests.push(({ tags }) => !tags || meets(condition, (value) => tags.has(value), tags.size));
  }
  for (const [name, text] of Object.entries(property)) {
    const condition = read(text);
    tests.push(({ contact }) => {
      const properties = contact?.properties;
      if (!properties) return true;
      return valueMeets(condition, Object.hasOwn(properties, name) ? properties[name] : undefined);
    });
  }
  return tests;
}

/** One that this release does not know matches nothing: the next one made it. */
function read(text: string): Condition {
  const condition = readCondition(text);
  return 'problem' in condition ? { is: 'any', values: [] } : condition;
}
