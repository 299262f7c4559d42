import type { Fault } from '@roster/contracts';
import type { EventFeed, FeedMember, HeardEvent } from './event-feed.js';
import { isEvent, type StoredEvent } from './stream-reader.js';

/** An event of one workspace, as stored in the stream. */
export type FollowedEvent = Pick<StoredEvent, 'id' | 'kind' | 'body'>;

export interface FollowerOptions {
  workspaceId: string;
  /** What it throws is logged, and the event is skipped. */
  onEvent: (event: FollowedEvent) => void;
  /** Called at most once, and never after `stop`, when the subscription ends because of an error. */
  onEnd: (fault: Fault) => void;
}

/** Events that a follower keeps while it reads those before them: more than are stored during a read. */
const heldMax = 32;

/**
 * Passes on the events of one workspace. It either takes what the feed hears, or reads the stream from its position until it has
 * read up to what it has heard last. Both skip what is not after its position.
 */
export class Follower implements FeedMember {
  readonly #feed: EventFeed;
  readonly #options: FollowerOptions;
  #position: number | undefined;
  #isLive = false;
  #isReading = false;
  /** The newest events that were heard while reading, without a gap. */
  #held: HeardEvent[] = [];
  /** Whether the feed may have missed events since the last read. */
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

  /** @param position the sequence after which to start */
  begin(position: number): void {
    this.#position = position;
    this.catchUp();
  }

  hear(event: HeardEvent): void {
    if (this.#isLive) return this.#take(event);
    this.#held.push(event);
    if (this.#held.length > heldMax) this.#held.shift();
  }

  /** Reads from the stream what the feed may have missed. */
  catchUp(): void {
    this.#isLive = false;
    this.#isBehind = true;
    this.#held = [];
    if (!this.#isReading && this.#position !== undefined) void this.#read();
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
        const event = await this.#feed.reader.next(this.workspaceId, this.#position! + 1);
        const [heard] = this.#held;
        if (event && !(heard && heard.sequence <= event.sequence)) this.#take(event);
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
    for (const event of held) this.#take(event);
  }

  #take(event: HeardEvent): void {
    const { id, kind, body, sequence } = event;
    if (this.#isStopped || sequence <= this.#position!) return;
    this.#position = sequence;
    try {
      if (!isEvent(event)) throw new TypeError('it has no ID of an event');
      this.#options.onEvent({ id, kind, body });
    } catch (error) {
      // The message of a syntax error quotes the body: each would be a reason of its own, and bodies are not logged.
      const reason = error instanceof SyntaxError ? new TypeError('its body is not JSON') : error;
      this.#feed.skipped.warn(reason, { kind, sequence });
    }
  }
}
