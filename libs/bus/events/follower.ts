import type { Fault } from '@roster/contracts';
import type { EventFeed, FeedMember, HeardMessage } from './event-feed.js';
import { idOf } from './event-message.js';
import type { StoredEvent } from './stream-reader.js';

/** An event of one workspace, as stored in the stream. */
export type FollowedEvent = Pick<StoredEvent, 'id' | 'kind' | 'body'>;

export interface FollowerOptions {
  workspaceId: string;
  /** What it throws is logged, and the event is skipped. */
  onEvent: (event: FollowedEvent) => void;
  /** Called at most once, and never after `stop`, when the subscription ends because of an error. */
  onEnd: (fault: Fault) => void;
}

/** Where a follower continues: at a message, after some of its events. */
export interface FollowStart {
  sequence: number;
  /** Number of events of the message at the sequence that are skipped. */
  skip: number;
}

/**
 * The newest message and others up to this number of events are kept while a follower reads those before them: more than are
 * stored during a read, but not more at once than a subscriber may have in its queue.
 */
const heldMax = 128;

/**
 * Passes on the events of one workspace. It either takes what the feed hears, or reads the stream from where it continues until it
 * has read up to what it has heard last. Both skip what is before that.
 */
export class Follower implements FeedMember {
  readonly #feed: EventFeed;
  readonly #options: FollowerOptions;
  #next: FollowStart | undefined;
  #isLive = false;
  #isReading = false;
  /** The newest messages that were heard while reading, without a gap. */
  #held: HeardMessage[] = [];
  /** Whether the feed may have missed messages since the last read. */
  #isBehind = false;
  #isStopped = false;

  constructor(feed: EventFeed, options: FollowerOptions) {
    this.#feed = feed;
    this.#options = options;
  }

  get workspaceId(): string {
    return this.#options.workspaceId;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  begin(start: FollowStart): void {
    this.#next = start;
    this.catchUp();
  }

  hear(message: HeardMessage): void {
    if (this.#isLive) return this.#take(message);
    this.#held.push(message);
    let events = 0;
    const first = this.#held.findLastIndex((held) => (events += held.events.length) > heldMax);
    this.#held.splice(0, Math.min(first + 1, this.#held.length - 1));
  }

  /** Reads from the stream what the feed may have missed. */
  catchUp(): void {
    this.#isLive = false;
    this.#isBehind = true;
    this.#held = [];
    if (!this.#isReading && this.#next !== undefined) void this.#read();
  }

  end(fault: Fault): void {
    if (this.#isStopped) return;
    this.stop();
    this.#options.onEnd(fault);
  }

  stop(): void {
    this.#isStopped = true;
    this.#feed.leave(this);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (!this.#isStopped && !this.#isLive) {
        this.#isBehind = false;
        const message = await this.#feed.reader.next(this.workspaceId, this.#next!.sequence);
        const [heard] = this.#held;
        if (message && !(heard && heard.sequence <= message.sequence)) this.#take(message);
        else if (!this.#isBehind) this.#goLive();
      }
    } catch (error) {
      // The feed calls `catchUp` again.
      this.#feed.unread.warn(error);
    } finally {
      this.#isReading = false;
    }
  }

  #goLive(): void {
    this.#isLive = true;
    const held = this.#held;
    this.#held = [];
    for (const message of held) this.#take(message);
  }

  #take({ sequence, kind, events }: HeardMessage): void {
    const next = this.#next!;
    if (sequence < next.sequence) return;
    this.#next = { sequence: sequence + 1, skip: 0 };
    // One for the message: a service with stolen credentials can store one with a line break for each of its bytes.
    let failure: unknown;
    for (const event of sequence === next.sequence ? events.slice(next.skip) : events) {
      if (this.#isStopped) return;
      const id = idOf(event);
      try {
        if (id !== '') this.#options.onEvent({ id, kind, body: event.body });
        else failure ??= new TypeError('it has no ID of an event');
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure === undefined) return;
    // The message of a syntax error quotes the body: each would be a reason of its own, and bodies are not logged.
    const reason = failure instanceof SyntaxError ? new TypeError('its body is not JSON') : failure;
    this.#feed.skipped.warn(reason, { kind, sequence });
  }
}
