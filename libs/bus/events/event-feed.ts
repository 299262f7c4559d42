import { storedEvents, type Fault } from '@roster/contracts';
import type { Msg } from 'nats';
import { unavailable } from '../calls/frame/faults.js';
import { asErrors, FailureLog } from '../failure-log.js';
import type { Link } from '../link.js';
import type { BusLog } from '../observer.js';
import { headersOf } from '../wire.js';
import { eventsIn } from './event-message.js';
import { kindOf, StreamReader, type StreamMessage, type StreamEnd } from './stream-reader.js';

/** The events of a message, and its position in the stream. */
export type HeardMessage = Pick<StreamMessage, 'kind' | 'events' | 'sequence'>;

/** One that follows the events of a workspace. */
export interface FeedMember {
  readonly workspaceId: string;
  /** Whether it needs what the feed hears, and nothing else. */
  readonly isLive: boolean;
  /** The next message of its workspace. */
  hear(message: HeardMessage): void;
  /** The feed may have missed events: they must be read from the stream. */
  catchUp(): void;
  /** It is not a member any more. */
  end(fault: Fault): void;
}

/** Interval of the comparisons with the end of the stream. */
const checkMs = 2000;

/**
 * What the stream stores, for all followers of the process: the stream republishes each message with its sequence, which one
 * plain subscription hears. A message that was not heard leaves a gap in the sequences, or the end of the stream is beyond it.
 * All followers then read the stream.
 */
export class EventFeed {
  readonly reader: StreamReader;
  /** Messages that are not events. */
  readonly skipped: FailureLog;
  readonly unread: FailureLog;
  readonly #link: Link;
  readonly #followers = new Map<string, Set<FeedMember>>();
  #open: Open | undefined;

  constructor(link: Link, log: BusLog) {
    this.#link = link;
    this.reader = new StreamReader(link);
    this.skipped = new FailureLog(asErrors(log), 'skipped a message that is not an event');
    this.unread = new FailureLog(log, 'failed to read the event stream; will retry');
  }

  /**
   * Adds a follower. It hears of every event that is stored after the returned sequence, the end of the stream.
   *
   * @throws Fault `unavailable`
   */
  async join(follower: FeedMember): Promise<number> {
    const { workspaceId } = follower;
    const ofWorkspace = this.#followers.get(workspaceId) ?? new Set();
    this.#followers.set(workspaceId, ofWorkspace.add(follower));
    const open = (this.#open ??= this.#start());
    try {
      // The server has added the subscription before it reads this request.
      const end = await this.reader.end();
      open.end ??= end;
      return end.sequence;
    } catch (error) {
      this.leave(follower);
      throw error;
    }
  }

  leave(follower: FeedMember): void {
    const ofWorkspace = this.#followers.get(follower.workspaceId);
    ofWorkspace?.delete(follower);
    if (ofWorkspace?.size === 0) this.#followers.delete(follower.workspaceId);
    if (this.#followers.size > 0) return;
    this.#open?.stop();
    this.#open = undefined;
  }

  #start(): Open {
    const open = new Open();
    const subscription = this.#link.subscribe(storedEvents, {
      onMessage: (message) => this.#hear(open, message),
    });
    const check = () => {
      open.checking ??= this.#check(open)
        .catch((error: unknown) => this.unread.warn(error))
        .finally(() => (open.checking = undefined));
    };
    const timer = setInterval(check, checkMs).unref();
    const unlisten = this.#link.onChange((up) => {
      open.isStale = true;
      if (up) check();
    });
    open.stop = () => {
      clearInterval(timer);
      unlisten();
      if (!this.#link.nats.isClosed()) subscription.unsubscribe();
    };
    return open;
  }

  #hear(open: Open, message: Msg): void {
    const headers = headersOf(message);
    // The last of each: a service with stolen credentials can store a message that has them already.
    const sequence = Number(headers?.last('Nats-Sequence'));
    const time = headers?.last('Nats-Time-Stamp') ?? '';
    const { end } = open;
    // After a disconnect, the messages that follow the known end are read, if the stream still holds it.
    if (!end || open.isStale || !(sequence > 0)) return;
    if (sequence <= end.sequence) {
      // Otherwise the new leader of the stream has republished what the former one had republished, too.
      if (Date.parse(time) > Date.parse(end.time)) this.#endAll();
      return;
    }
    const isNext = sequence === end.sequence + 1;
    open.end = { ...end, sequence, time };
    if (!isNext) return this.#catchUp();
    const { subject, data } = message;
    const followers = this.#followers.get(subject.split('.')[1]!);
    if (!followers) return;
    const heard = { kind: kindOf(subject), events: eventsIn(data, headers), sequence };
    for (const follower of followers) follower.hear(heard);
  }

  async #check(open: Open): Promise<void> {
    const { end: known, stored } = open;
    if (!this.#link.up || !known) return;
    const now = await this.reader.end();
    if (open !== this.#open) return;
    if (now.created !== known.created || now.sequence < known.sequence) return this.#endAll();
    // A server that has lost the newest messages assigns their sequences again.
    if (open.isStale && !(await this.reader.holds(known))) return this.#endAll();
    if (open !== this.#open || !this.#link.up) return;
    open.stored = now;
    // What was stored before the last check should have been heard by now.
    const missed = open.isStale ? now : stored;
    open.isStale = false;
    const isBehind = missed !== undefined && missed.sequence > open.end!.sequence;
    if (isBehind) open.end = missed;
    this.#catchUp((follower) => isBehind || !follower.isLive);
  }

  #catchUp(isMeant: (follower: FeedMember) => boolean = () => true): void {
    for (const followers of this.#followers.values())
      for (const follower of followers) if (isMeant(follower)) follower.catchUp();
  }

  /** Sequences are assigned again after the stream has lost its newest events: only an ID is a position to resume after. */
  #endAll(): void {
    for (const followers of [...this.#followers.values()])
      for (const follower of [...followers])
        follower.end(unavailable('the event stream has lost its newest events'));
  }
}

/** The state of a feed while it has followers. */
class Open {
  /** The newest message that was heard, or the end of the stream when the feed was opened. */
  end: StreamEnd | undefined;
  /** The end of the stream at the last check. */
  stored: StreamEnd | undefined;
  /** Whether the connection was lost since the last check. */
  isStale = false;
  checking: Promise<void> | undefined;
  stop: () => void = () => {};
}
