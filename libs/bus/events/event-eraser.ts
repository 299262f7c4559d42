import { eventStream, eventSubject, type CarriedEvent } from '@roster/contracts';
import type { JetStreamManager, StoredMsg } from 'nats';
import type { Link } from '../link.js';
import { isRefusal, JetStreamCode } from '../trouble.js';
import { headersOf } from '../wire.js';
import { eventsIn } from './event-message.js';
import { kindOf } from './stream-reader.js';

/** A message of one workspace, as stored in the stream. */
export interface ErasableMessage {
  /** Its `Nats-Msg-Id`. */
  id: string;
  kind: string;
  sequence: number;
  events: CarriedEvent[];
}

const timeoutMs = 2500;

/** Removes messages from the stream, so that nothing of them remains in its files. */
export class EventEraser {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  /** The first message of a workspace at a sequence or later. */
  next(workspaceId: string, sequence: number): Promise<ErasableMessage | undefined> {
    return this.#get({ seq: sequence, next_by_subj: eventSubject(workspaceId, '*') });
  }

  /** The first message of a workspace that was stored at a time or later, in milliseconds since the epoch. */
  firstSince(workspaceId: string, ms: number): Promise<ErasableMessage | undefined> {
    const start_time = new Date(ms).toISOString();
    return this.#get({ start_time, next_by_subj: eventSubject(workspaceId, '*') });
  }

  /** The newest message of a workspace. */
  newest(workspaceId: string): Promise<ErasableMessage | undefined> {
    return this.#get({ last_by_subj: eventSubject(workspaceId, '*') });
  }

  /**
   * Overwrites and removes a message. Idempotent: what has another ID is not removed, as that of a stream that lost its latest
   * messages and assigned their sequences again.
   */
  async erase({ sequence, id }: Pick<ErasableMessage, 'sequence' | 'id'>): Promise<void> {
    if ((await this.#get({ seq: sequence }))?.id !== id) return;
    await (await this.#manager()).streams.deleteMessage(eventStream, sequence, true);
  }

  async #get(query: object): Promise<ErasableMessage | undefined> {
    const { streams } = await this.#manager();
    try {
      // The types of the client lack some of the queries.
      return messageOf(await streams.getMessage(eventStream, query as { seq: number }));
    } catch (error) {
      const { NoMessageFound, StreamNotFound } = JetStreamCode;
      if (isRefusal(error, NoMessageFound) || isRefusal(error, StreamNotFound)) return undefined;
      throw error;
    }
  }

  #manager(): Promise<JetStreamManager> {
    // The client would buffer the request until reconnection.
    if (!this.#link.up) throw new Error('no connection to NATS');
    return this.#link.nats.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
  }
}

function messageOf(message: StoredMsg): ErasableMessage {
  const headers = headersOf(message);
  return {
    id: headers?.get('Nats-Msg-Id') ?? '',
    kind: kindOf(message.subject),
    sequence: message.seq,
    events: eventsIn(message.data, headers),
  };
}
