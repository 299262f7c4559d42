import {
  eventStream,
  eventSubject,
  type CarriedEvent,
  type StreamPosition,
} from '@roster/contracts';
import { NatsError, type StoredMsg, type StreamAPI } from 'nats';
import pLimit from 'p-limit';
import { unavailable } from '../calls/frame/faults.js';
import type { Link } from '../link.js';
import { headersOf } from '../wire.js';
import { isRefusal, JetStreamCode } from '../trouble.js';
import { eventsIn, idOf, republishedHeader } from './event-message.js';
import { nanosecondsOf } from './stream-position.js';

/** A message of one workspace, as stored in the stream. */
export interface StreamMessage {
  kind: string;
  /** Not events if a service with stolen credentials has stored another message: they have no ID. */
  events: CarriedEvent[];
  sequence: number;
  /** When the stream stored it, in milliseconds since the epoch. */
  storedMs: number;
  /** Whether it may have been published before, at an earlier position that was lost. */
  republished: boolean;
}

/** An event of one workspace, as stored in the stream. */
export interface StoredEvent extends Omit<StreamMessage, 'events'> {
  /** In external form. */
  id: string;
  body: string;
}

/** The end of the stream. */
export interface StreamEnd {
  /** When the stream was created. */
  created: string;
  sequence: number;
  /** When the newest message was stored. ISO 8601. */
  time: string;
}

/** A message of any workspace, and where the stream holds it. */
export interface PlacedMessage extends StreamMessage {
  /** In external form. */
  workspaceId: string;
  /** Its `Nats-Msg-Id`; empty if it has none. */
  id: string;
  position: StreamPosition;
}

/** Reads of messages one after another, of this process at a time. Readers take turns. */
const concurrency = 16;
/** Shorter than the deadline of API requests, which are then answered `unavailable` and not `timeout`. */
const timeoutMs = 2500;

/**
 * Reads the stream message by message, from its leader. A consumer or a direct get sends stored messages to a subject of the
 * requester's choice, where NATS checks no permissions: with either, a program could take events from the dispatchers, publish
 * events, and delete the stream.
 */
export class StreamReader {
  readonly #link: Link;
  readonly #limit = pLimit(concurrency);

  constructor(link: Link) {
    this.#link = link;
  }

  /** @throws Fault `unavailable` */
  end(): Promise<StreamEnd> {
    return this.#ask(async (streams) => {
      const { created, state } = await streams.info(eventStream);
      return { created, sequence: state.last_seq, time: state.last_ts };
    });
  }

  /**
   * The stream, and the first and the last sequence that it holds. If it holds none, the first one is greater.
   *
   * @throws Fault `unavailable`
   */
  bounds(): Promise<{ created: string; first: number; last: number }> {
    return this.#ask(async (streams) => {
      const { created, state } = await streams.info(eventStream);
      return { created, first: state.first_seq, last: state.last_seq };
    });
  }

  /**
   * The message at a sequence, of whichever workspace.
   *
   * @param stream when the stream was created
   * @throws Fault `unavailable`
   */
  at(sequence: number, stream: string): Promise<PlacedMessage | undefined> {
    return this.#limit(() => this.#find({ seq: sequence }, (found) => placed(found, stream)));
  }

  /**
   * The first sequence of a message that was stored at a time or later, in milliseconds since the epoch.
   *
   * @throws Fault `unavailable`
   */
  sequenceSince(ms: number): Promise<number | undefined> {
    const query = { start_time: new Date(ms).toISOString(), next_by_subj: 'events.>' };
    return this.#find(query, ({ seq }) => seq);
  }

  /**
   * The first message of a workspace at a sequence or later.
   *
   * @throws Fault `unavailable`
   */
  next(workspaceId: string, sequence: number): Promise<StreamMessage | undefined> {
    const query = { seq: sequence, next_by_subj: eventSubject(workspaceId, '*') };
    return this.#limit(() => this.#get(query));
  }

  /**
   * Whether the stream holds the message that was once its end, or held it until it was too old.
   *
   * @throws Fault `unavailable`
   */
  async holds({ sequence, time }: StreamEnd): Promise<boolean> {
    if (sequence === 0) return true;
    const { state } = await this.#ask((streams) => streams.info(eventStream));
    if (sequence < state.first_seq) return true;
    const stored = await this.#get({ seq: sequence });
    return stored?.storedMs === Date.parse(time);
  }

  /**
   * The first message of a workspace that was stored at a time or later, in milliseconds since the epoch.
   *
   * @throws Fault `unavailable`
   */
  firstSince(workspaceId: string, ms: number): Promise<StreamMessage | undefined> {
    const start_time = new Date(ms).toISOString();
    return this.#get({ start_time, next_by_subj: eventSubject(workspaceId, '*') });
  }

  /**
   * The newest message of a workspace.
   *
   * @throws Fault `unavailable`
   */
  newest(workspaceId: string): Promise<StreamMessage | undefined> {
    return this.#get({ last_by_subj: eventSubject(workspaceId, '*') });
  }

  #get(query: MessageQuery): Promise<StreamMessage | undefined> {
    return this.#find(query, streamMessage);
  }

  #find<T>(query: MessageQuery, read: (message: StoredMsg) => T): Promise<T | undefined> {
    return this.#ask(async (streams) => {
      try {
        // The types of the client lack some of the queries.
        return read(await streams.getMessage(eventStream, query as { seq: number }));
      } catch (error) {
        const { NoMessageFound, StreamNotFound } = JetStreamCode;
        if (isRefusal(error, NoMessageFound) || isRefusal(error, StreamNotFound)) return undefined;
        throw error;
      }
    });
  }

  async #ask<T>(ask: (streams: StreamAPI) => Promise<T>): Promise<T> {
    // The client would buffer the request until reconnection.
    if (!this.#link.up) throw unavailable('no connection to NATS');
    try {
      const options = { checkAPI: false, timeout: timeoutMs };
      return await ask((await this.#link.nats.jetstreamManager(options)).streams);
    } catch (error) {
      if (error instanceof NatsError) throw unavailable(error.message, error);
      throw error;
    }
  }
}

type MessageQuery =
  | { seq: number }
  | { seq: number; next_by_subj: string }
  | { start_time: string; next_by_subj: string }
  | { last_by_subj: string };

/** The last token of a subject. */
export const kindOf = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);

function streamMessage(message: StoredMsg): StreamMessage {
  const headers = headersOf(message);
  return {
    kind: kindOf(message.subject),
    events: eventsIn(message.data, headers),
    sequence: message.seq,
    storedMs: message.time.getTime(),
    republished: headers?.has(republishedHeader) ?? false,
  };
}

function placed(message: StoredMsg, stream: string): PlacedMessage {
  const { seq: sequence, timestamp, subject } = message;
  return {
    ...streamMessage(message),
    workspaceId: subject.split('.')[1] ?? '',
    id: headersOf(message)?.get('Nats-Msg-Id') ?? '',
    position: { stream, sequence, storedNs: nanosecondsOf(timestamp) },
  };
}

/**
 * The newest event of a workspace. Undefined if there is none, or if a message that is not an event was stored after it.
 *
 * @throws Fault `unavailable`
 */
export async function newestEvent(
  reader: StreamReader,
  workspaceId: string,
): Promise<StoredEvent | undefined> {
  const newest = await reader.newest(workspaceId);
  if (!newest) return undefined;
  const { events, ...stored } = newest;
  const event = events.at(-1);
  return event && idOf(event) !== '' ? { ...stored, id: idOf(event), body: event.body } : undefined;
}

export interface ReadEventsOptions {
  workspaceId: string;
  /** Only events that were stored at or after this time, in milliseconds since the epoch. */
  fromMs?: number | undefined;
  /** Begins with this message instead if it is still the one at its sequence, whatever the times of the messages around it. */
  at?: Pick<StreamMessage, 'sequence' | 'storedMs'> | undefined;
}

/** The server counts nanoseconds in 64 bits. A later start overflows, and becomes one before the first event. */
const fromMsMax = Number((2n ** 63n - 1n) / 1_000_000n);

/**
 * Reads the events of one workspace that the stream holds at this moment, in the order in which they were stored. An event that is
 * stored later follows all of them.
 *
 * @throws Fault `unavailable`
 */
export async function* readEvents(
  reader: StreamReader,
  { workspaceId, fromMs, at }: ReadEventsOptions,
): AsyncGenerator<StoredEvent, void, void> {
  if (fromMs !== undefined && fromMs > fromMsMax) return;
  const newest = await reader.newest(workspaceId);
  if (!newest) return;
  let message = at && (isAt(newest, at) ? newest : await reader.next(workspaceId, at.sequence));
  if (!message || !isAt(message, at))
    message =
      fromMs === undefined
        ? await reader.next(workspaceId, 1)
        : await reader.firstSince(workspaceId, fromMs);
  while (message && message.sequence <= newest.sequence) {
    yield* storedEvents(message);
    if (message.sequence === newest.sequence) return;
    message = await reader.next(workspaceId, message.sequence + 1);
  }
}

/** The events of a message, without what is none. */
function storedEvents({ events, ...stored }: StreamMessage): StoredEvent[] {
  return events.flatMap((event) => {
    const id = idOf(event);
    // A copy: a part of the text of several events would keep all of it in memory.
    const body = events.length > 1 ? Buffer.from(event.body).toString() : event.body;
    return id === '' ? [] : [{ ...stored, id, body }];
  });
}

/** Sequences that certainly have few messages of a workspace, and the messages of one range that are read. */
const rangeMin = 64;
/** Requests that one reader sends, unless its last range needs some more. */
const requestsMax = 2000;

/**
 * Reads the events of one workspace backwards, newest first, without those of a sequence and later ones, if it is given. The stream finds the next
 * message of a subject, but not the previous one: ranges of sequences are read, which grow while they contain few messages, and shrink
 * if they contain many.
 *
 * @returns whether there may be further events: it ends after a bounded number of requests
 * @throws Fault `unavailable`
 */
export async function* readEventsBefore(
  reader: StreamReader,
  workspaceId: string,
  before?: number,
): AsyncGenerator<StoredEvent, boolean, void> {
  let end = before ?? ((await reader.newest(workspaceId))?.sequence ?? 0) + 1;
  let length = rangeMin;
  for (let requests = 0; end > 1;) {
    const start = Math.max(1, end - length);
    const found: StreamMessage[] = [];
    for (let next = start; next < end && found.length <= rangeMin;) {
      requests += 1;
      const message = await reader.next(workspaceId, next);
      if (!message || message.sequence >= end) break;
      found.push(message);
      next = message.sequence + 1;
    }
    if (found.length > rangeMin) {
      length = Math.max(rangeMin, Math.floor(length / 8));
      continue;
    }
    for (const message of found.toReversed()) yield* storedEvents(message).toReversed();
    // The position after the range is that of its first event: without one, the caller would not know where to continue.
    if (requests >= requestsMax && found.length > 0) return start > 1;
    end = start;
    length = Math.min(length * (found.length === 0 ? 8 : 2), end);
  }
  return false;
}

const isAt = (message: StreamMessage, at: ReadEventsOptions['at']): boolean =>
  message.sequence === at?.sequence && message.storedMs === at.storedMs;
