import { setTimeout as delay } from 'node:timers/promises';

import { Roster, RosterError, type EventListed, type Followed } from '@roster/client';

import { CommandFailure, exitCodes } from '../failure.js';
import { printable, type Output } from '../output.js';
import { Forwarder, type PositionedEvent } from './forward.js';
import { KeptPosition } from './kept-position.js';
import type { LocalWebhook } from './local-delivery.js';
import { isSuccess, report, send } from './send-event.js';

export interface ListenOptions {
  /** Of Roster. */
  url: string;
  /** Reads the API key: again before each request, as it may be rotated. */
  readKey: () => string;
  userAgent: string;
  forwardTo: URL;
  kinds?: EventListed['kind'][];
  since?: string;
  /** Whether an event is sent. */
  accepts: (event: EventListed) => boolean;
  /** Whether an event is sent again until the handler answers it with 2xx. */
  retry: boolean;
  output: Pick<Output, 'note' | 'write' | 'isTable' | 'colors'>;
  signal: AbortSignal;
  /** How long Roster may be unreachable at the start. */
  startMs?: number;
}

/** A dead connection is noticed by then. */
const requestTimeoutMs = 10_000;

/**
 * Sends the events of the log to a handler, for ever. Its position is kept when the handler has answered.
 *
 * @throws CommandFailure if Roster cannot be reached at the start, if the position is lost; RosterError if the key is refused; the
 * reason of the signal
 */
export async function listen(options: ListenOptions): Promise<void> {
  const start = new Start(options);
  try {
    await forwardEvents(options, start);
  } finally {
    start.end();
  }
}

async function forwardEvents(options: ListenOptions, start: Start): Promise<void> {
  const { url, readKey, userAgent, forwardTo, since, output } = options;
  const roster = new Roster({
    ...{ baseUrl: url, apiKey: readKey, userAgent },
    ...{ timeoutMs: requestTimeoutMs, retries: 0 },
  });
  const { workspace } = await start.until(() => roster.key.get({ signal: options.signal }));
  const name = { url, workspaceId: workspace.id, forwardTo: forwardTo.href };
  const kept = KeptPosition.open(name);
  await kept.lock();
  try {
    output.note(`Signing secret: ${kept.webhook.secret}`);
    const link = new LinkState(url, output, start);
    const forwarder: Forwarder = new Forwarder({
      signal: options.signal,
      deliver: (event) => deliver(event, kept.webhook, options, forwarder.signal),
      keep: (position, finished) => kept.keep(position, finished),
      finished: new Set(since === undefined ? kept.finished : []),
    });
    const events = roster.events({
      after: since === undefined ? kept.position : undefined,
      since,
      kinds: options.kinds as never,
      signal: AbortSignal.any([forwarder.signal, start.signal]),
      timeoutMs: requestTimeoutMs,
      onTrouble: (error, waitMs) => link.failed(error, waitMs),
      onPage({ events, position }) {
        if (events === 0 && position !== undefined) forwarder.reach(position);
        if (!start.isOver) {
          start.end();
          output.note(
            `ready: events of ${printable(workspace.name)} are sent to ${forwardTo.href}`,
          );
        }
        link.works();
      },
    });
    await forwarder.forward(only(events, options.accepts, forwarder));
  } catch (error) {
    if (error instanceof RosterError && error.errors[0]?.pointer === '/after')
      throw new CommandFailure(
        `The position is lost: ${error.errors[0].message}. Pass --since with the time from which to send events.`,
      );
    throw error;
  } finally {
    kept.release();
  }
}

/** Events that are not accepted are finished. */
async function* only(
  events: AsyncIterable<Followed<EventListed>>,
  accepts: (event: EventListed) => boolean,
  forwarder: Forwarder,
): AsyncGenerator<PositionedEvent, void, void> {
  for await (const event of events)
    if (accepts(event)) yield event;
    else forwarder.reach(event.position);
}

/** Roster is tried again and again at the start too, but not for ever. */
class Start {
  readonly #startMs: number;
  readonly #url: string;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly #timer: NodeJS.Timeout;
  #reason = 'no answer.';
  isOver = false;

  constructor({ url, startMs = 30_000 }: ListenOptions) {
    this.#startMs = startMs;
    this.#url = url;
    this.#timer = setTimeout(() => this.#controller.abort(this.#failure()), startMs);
  }

  failed(error: Error): void {
    this.#reason = reasonOf(error);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.isOver = true;
  }

  /** Repeats a request unless the key is refused. */
  async until<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof RosterError) || [401, 403].includes(error.status)) throw error;
        this.failed(error);
      }
      await delay(500);
      this.signal.throwIfAborted();
    }
  }

  #failure(): CommandFailure {
    return new CommandFailure(
      `${this.#url} could not be reached for ${this.#startMs / 1000} s: ${this.#reason} Check the address, and \`roster doctor\`.`,
      exitCodes.unreachable,
    );
  }
}

/** A sentence. */
const reasonOf = (error: Error): string =>
  printable(error instanceof RosterError ? error.detail : error.message);

/** Says when the link to Roster is lost, and when it works again. */
class LinkState {
  readonly #url: string;
  readonly #output: ListenOptions['output'];
  readonly #start: Start;
  #lostAt: number | undefined;

  constructor(url: string, output: ListenOptions['output'], start: Start) {
    this.#url = url;
    this.#output = output;
    this.#start = start;
  }

  failed(error: Error, waitMs: number): void {
    this.#start.failed(error);
    if (this.#lostAt === undefined)
      this.#output.note(
        `The link to ${this.#url} is lost: ${reasonOf(error)} Trying again, now after ${(waitMs / 1000).toFixed(1)} s.`,
      );
    this.#lostAt ??= performance.now();
  }

  works(): void {
    if (this.#lostAt === undefined) return;
    const seconds = (performance.now() - this.#lostAt) / 1000;
    this.#output.note(
      `The link works again, after ${seconds.toFixed(1)} s. Sending the events since.`,
    );
    this.#lostAt = undefined;
  }
}

const longestWaitMs = 2000;
/** The handler may have to be changed first. */
const longestRetryMs = 30_000;

/** Sends an event until the handler has answered it, with `retry` until it has answered with 2xx. */
async function deliver(
  event: PositionedEvent,
  webhook: LocalWebhook,
  { forwardTo, output, retry }: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  let isSilent = false;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const outcome = await send(event, webhook, forwardTo);
    // An unreachable handler is reported once.
    if (!isSilent || !('error' in outcome)) await report(event, { ...outcome, attempt }, output);
    isSilent = 'error' in outcome;
    if ('status' in outcome && (!retry || isSuccess(outcome.status))) return;
    const most = 'status' in outcome ? longestRetryMs : longestWaitMs;
    const waitMs = Math.min(most, 250 * 2 ** Math.min(attempt - 1, 10));
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
}
