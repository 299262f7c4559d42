import { setTimeout as delay } from 'node:timers/promises';

import type { LoggedEvent } from './local-delivery.js';

export type PositionedEvent = LoggedEvent & { position: string };

export interface ForwardOptions {
  /** Resolves when the event is finished. It stops repeating when the signal is aborted. */
  deliver: (event: PositionedEvent) => Promise<void>;
  /** Called when all events up to a position are finished, and of those behind it these. */
  keep: (position: string | undefined, finished: string[]) => void;
  /** Events that were finished before. */
  finished: Set<string>;
  signal: AbortSignal;
}

/** Events that are sent to the handler at once. */
const atOnce = 16;
/** Events that are not finished, those that wait for an earlier one of their contact included. */
const unfinishedMax = 256;
/** How long the handler may take for what it has been sent when forwarding ends. */
const graceMs = 5000;

/**
 * Sends events to a handler: those of one contact one after another in their order, those of others at once. The position follows
 * the oldest event that is not finished.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  /** In the order of the log. */
  readonly #unfinished: { id: string; position: string; isFinished: boolean }[] = [];
  /** The last event of each contact, while it is not finished. */
  readonly #last = new Map<string, Promise<void>>();
  #sending = 0;
  readonly #waiting: (() => void)[] = [];
  #onProgress = () => {};

  readonly #failure = new AbortController();
  /** Aborted by that of the options, and when an event or the position cannot be finished. */
  readonly signal: AbortSignal;

  constructor(options: ForwardOptions) {
    this.#options = options;
    this.signal = AbortSignal.any([options.signal, this.#failure.signal]);
  }

  /** Resolves when `events` ends; `signal` ends it. Events in flight are finished first, within limits. */
  async forward(events: AsyncIterable<PositionedEvent>): Promise<void> {
    const { signal } = this;
    const wake = () => this.#onProgress();
    signal.addEventListener('abort', wake);
    try {
      for await (const event of events) {
        this.#add(event).catch((error: unknown) => this.#failure.abort(error));
        while (this.#unfinished.length >= unfinishedMax && !signal.aborted)
          await new Promise<void>((resolve) => (this.#onProgress = resolve));
        signal.throwIfAborted();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      const grace = delay(graceMs, undefined, { ref: false });
      await Promise.race([Promise.allSettled(this.#last.values()), grace]);
    }
  }

  /** Marks a position as reached: all events before it were given. */
  reach(position: string): void {
    if (this.#unfinished.length === 0) this.#options.keep(position, []);
  }

  async #add(event: PositionedEvent): Promise<void> {
    const { id, position } = event;
    const entry = { id, position, isFinished: this.#options.finished.delete(id) };
    this.#unfinished.push(entry);
    if (!entry.isFinished) await this.#afterEarlier(event);
    entry.isFinished = true;
    let kept: string | undefined;
    while (this.#unfinished[0]?.isFinished) kept = this.#unfinished.shift()!.position;
    const finished = this.#unfinished.filter(({ isFinished }) => isFinished);
    this.#options.keep(
      kept,
      finished.map((each) => each.id),
    );
    this.#onProgress();
  }

  /** Sends an event after the earlier ones of its subject. */
  async #afterEarlier(event: PositionedEvent): Promise<void> {
    const subject = subjectOf(event);
    const before = this.#last.get(subject);
    const sent = this.#send(event, before);
    this.#last.set(subject, sent);
    try {
      await sent;
    } finally {
      if (this.#last.get(subject) === sent) this.#last.delete(subject);
    }
  }

  async #send(event: PositionedEvent, before: Promise<void> | undefined): Promise<void> {
    await before;
    while (this.#sending >= atOnce)
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    this.#sending += 1;
    try {
      this.signal.throwIfAborted();
      await this.#options.deliver(event);
    } finally {
      this.#sending -= 1;
      this.#waiting.shift()?.();
    }
  }
}

/** Whose events keep their order. */
function subjectOf({ kind, data }: LoggedEvent): string {
  for (const noun of ['contact', 'user', 'import']) {
    const { id } = (data[noun] ?? {}) as { id?: unknown };
    if (typeof id === 'string') return id;
  }
  return kind;
}
