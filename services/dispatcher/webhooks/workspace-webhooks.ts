import { allKinds } from '@roster/contracts';
import { factsOf } from './event-filter.js';
import { subscribedSince, type KnownWebhook } from './known-webhook.js';

/** The webhooks of a workspace, by the kinds that they subscribe to. */
export class WorkspaceWebhooks {
  readonly all: readonly KnownWebhook[];
  readonly #kinds: ReadonlySet<string>;
  readonly #subscribers = new Map<string, Subscribers | undefined>();

  constructor(all: readonly KnownWebhook[]) {
    this.all = all;
    this.#kinds = new Set(all.flatMap(({ since }) => [...since.keys()]));
  }

  /** Undefined if none subscribes to the kind. */
  subscribersOf(kind: string): Subscribers | undefined {
    // A service with stolen credentials can publish any number of kinds.
    const known = this.#kinds.has(kind) ? kind : allKinds;
    if (!this.#subscribers.has(known)) {
      const webhooks = this.all.filter((one) => subscribedSince(one, known) !== undefined);
      this.#subscribers.set(known, webhooks.length > 0 ? new Subscribers(webhooks) : undefined);
    }
    return this.#subscribers.get(known);
  }
}

/**
 * The webhooks that subscribe to a kind, by what their filters require: an event does not pass through a thousand filters, but through
 * those that have one of its values.
 */
export class Subscribers {
  readonly #all: readonly KnownWebhook[];
  readonly #unfiltered: readonly KnownWebhook[];
  readonly #filtered: readonly KnownWebhook[];
  /** Of the filtered ones, those whose filter requires no value. */
  readonly #others: readonly KnownWebhook[];
  readonly #byValue = new Map<string, KnownWebhook[]>();

  constructor(all: readonly KnownWebhook[]) {
    this.#all = all;
    this.#unfiltered = all.filter(({ filter }) => filter === null);
    this.#filtered = all.filter(({ filter }) => filter !== null);
    this.#others = this.#filtered.filter(({ filter }) => filter!.required === undefined);
    for (const webhook of this.#filtered)
      for (const value of webhook.filter!.required ?? []) {
        const same = this.#byValue.get(value);
        if (same) same.push(webhook);
        else this.#byValue.set(value, [webhook]);
      }
  }

  /**
   * Those whose filters an event matches, and those without a filter.
   *
   * @param details of the event, which are read only if there is a filter
   */
  receiving(kind: string, details: string | undefined): readonly KnownWebhook[] {
    if (this.#filtered.length === 0) return this.#all;
    const facts = factsOf(kind, details);
    if (facts === null) return this.#unfiltered;
    const { values } = facts;
    const candidates = [
      values ? this.#others : this.#filtered,
      ...(values ?? []).map((value) => this.#byValue.get(value) ?? []),
    ];
    // An event can have several of the values of a filter.
    const matching = new Set<KnownWebhook>();
    for (const same of candidates)
      for (const webhook of same) if (webhook.filter!.matches(facts)) matching.add(webhook);
    return [...this.#unfiltered, ...matching];
  }
}
