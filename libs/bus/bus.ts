import {
  operations,
  workspaceSubject,
  type Broadcasts,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  type ServiceName,
  type StreamPosition,
  type WorkspaceBroadcasts,
} from '@roster/contracts';
import { activeSpan, isSampled, tracer } from '@roster/telemetry';
import { endWith, messagingAttributes } from './calls/frame/call-spans.js';
import { CallClient } from './calls/client/call-client.js';
import type { CallContext } from './calls/batching/pending-call.js';
import { followEvents, newestEventId, type FollowOptions } from './events/follow.js';
import { textOf } from './wire.js';
import { openLink, type Link, type LinkOptions } from './link.js';
import { Micro } from './micro.js';
import type { BusLog, BusObserver } from './observer.js';
import { EventEraser } from './events/event-eraser.js';
import { EventFeed } from './events/event-feed.js';
import {
  newestEvent,
  readEvents,
  readEventsBefore,
  type ReadEventsOptions,
  type StoredEvent,
  type StreamReader,
} from './events/stream-reader.js';
import { RecentWorkspaces } from './recent-workspaces.js';
import { readStreamPosition } from './events/stream-position.js';
import { CallerVerifier } from './proof/caller-verifier.js';
import type { NamedKey } from './proof/statement.js';
import { EventPublisher, type StreamOptions } from './events/publish.js';
import type { HandlerTable } from './calls/server/handler.js';
import { CallServer } from './calls/server/call-server.js';
import type { ServeOptions } from './calls/server/lanes.js';

export interface BusOptions extends LinkOptions {
  observer?: BusObserver;
  /** Public keys of the users service. Without them, served operations believe the claims of callers. */
  callerKeys?: readonly NamedKey[] | undefined;
}

/** @throws NatsTrouble if NATS is unreachable, or the credentials are rejected or those of another program */
export async function connectBus({
  observer = {},
  callerKeys,
  ...options
}: BusOptions): Promise<Bus> {
  const verifier = callerKeys && new CallerVerifier(callerKeys);
  return new Bus(await openLink(options), options.log, observer, verifier);
}

/** The process' one connection to NATS: calls in batches, broadcasts, events. */
export class Bus {
  readonly link: Link;
  /** The workspaces of the calls that this process has received. */
  readonly callers = new RecentWorkspaces();
  readonly #log: BusLog;
  readonly #observer: BusObserver;
  readonly #verifier: CallerVerifier | undefined;
  readonly #client: CallClient;
  readonly #servers: CallServer[] = [];
  readonly #feed: EventFeed;
  readonly #micro: Micro;
  #eraser: EventEraser | undefined;

  constructor(link: Link, log: BusLog, observer: BusObserver, verifier?: CallerVerifier) {
    this.link = link;
    this.#log = log;
    this.#observer = observer;
    this.#verifier = verifier;
    this.#client = new CallClient(link, observer);
    this.#feed = new EventFeed(link, log);
    this.#micro = new Micro(link);
  }

  /**
   * Calls an operation with parsed input. Resolves with the JSON bytes of the result as the service wrote them. Rejects with
   * the faults of `CallClient.call`.
   */
  callRaw<Name extends OperationName>(
    name: Name,
    input: InputOf<Operations[Name]>,
    context: CallContext,
  ): Promise<Uint8Array> {
    const parent = tracer && (activeSpan() ?? context);
    if (!isSampled(parent?.traceparent)) return this.#client.call(operations[name], input, context);
    const span = tracer?.startSpan(`send ${name}`, parent, {
      kind: 'client',
      attributes: messagingAttributes(name, 'send'),
    });
    if (!span) return this.#client.call(operations[name], input, context);
    const { traceparent, tracestate } = span;
    return endWith(
      span,
      this.#client.call(operations[name], input, { ...context, traceparent, tracestate }),
    );
  }

  /** Calls an operation, and parses the result. */
  async call<Name extends OperationName>(
    name: Name,
    input: InputOf<Operations[Name]>,
    context: CallContext,
  ): Promise<OutputOf<Operations[Name]>> {
    const data = await this.callRaw(name, input, context);
    return JSON.parse(textOf(data)) as OutputOf<Operations[Name]>;
  }

  /** Adds to what this process tells the operator of itself: see `Micro`. Nothing secret. */
  describe(metadata: Readonly<Record<string, string>>): void {
    this.#micro.describe(metadata);
  }

  /**
   * Serves all operations of a service. The returned function stops that, and resolves when all received batches are
   * answered.
   */
  serve<S extends ServiceName>(
    service: S,
    handlers: HandlerTable<S>,
    options?: ServeOptions,
  ): () => Promise<void> {
    this.#micro.serve(service);
    const context = {
      link: this.link,
      log: this.#log,
      observer: this.#micro.observing(this.#observer),
      verifier: this.#verifier,
      callers: this.callers,
    };
    const server = new CallServer(service, handlers, context, options);
    this.#servers.push(server);
    return () => server.stop();
  }

  /**
   * Publishes a message to all processes that are connected and subscribed, at most once. Caches must be cleared on
   * reconnect.
   */
  broadcast<Name extends keyof Broadcasts>(name: Name, message: Broadcasts[Name]): void {
    if (this.link.up) this.link.nats.publish(name, JSON.stringify(message));
  }

  /** Subscribes to broadcasts. Broadcasts are lost during an outage: a cache must be cleared on reconnect (`link.onChange`). */
  listen<Name extends keyof Broadcasts>(
    name: Name,
    hear: (message: Broadcasts[Name]) => void,
  ): () => void {
    const subscription = this.link.subscribe(name, {
      onMessage: ({ data }) => hear(JSON.parse(textOf(data)) as Broadcasts[Name]),
    });
    return () => subscription.unsubscribe();
  }

  /** As `broadcast`, to those that listen to this workspace (encoded ID). */
  broadcastTo<Name extends keyof WorkspaceBroadcasts>(
    workspaceId: string,
    name: Name,
    message: WorkspaceBroadcasts[Name],
  ): void {
    const subject = workspaceSubject(name, workspaceId);
    if (this.link.up) this.link.nats.publish(subject, JSON.stringify(message));
  }

  /** As `listen`, to the broadcasts of one workspace. */
  listenTo<Name extends keyof WorkspaceBroadcasts>(
    workspaceId: string,
    name: Name,
    hear: (message: WorkspaceBroadcasts[Name]) => void,
  ): () => void {
    const subscription = this.link.subscribe(workspaceSubject(name, workspaceId), {
      onMessage: ({ data }) => hear(JSON.parse(textOf(data)) as WorkspaceBroadcasts[Name]),
    });
    return () => subscription.unsubscribe();
  }

  openEvents(options: StreamOptions): Promise<EventPublisher> {
    return EventPublisher.open(this.link, options);
  }

  /** The position of the newest event: see `readStreamPosition`. */
  streamPosition(): Promise<StreamPosition | null> {
    return readStreamPosition(this.link);
  }

  /** Removes messages from the stream, which NATS allows to the contacts service only. */
  get eraser(): Pick<EventEraser, 'next' | 'erase'> {
    return (this.#eraser ??= new EventEraser(this.link));
  }

  /** Reads the stream of all workspaces. */
  get stream(): Pick<StreamReader, 'bounds' | 'at' | 'sequenceSince'> {
    return this.#feed.reader;
  }

  /** Follows the events of one workspace: see `followEvents`. */
  followEvents(options: FollowOptions): Promise<() => void> {
    return followEvents(this.#feed, options);
  }

  /** The ID of the newest event of a workspace: see `newestEventId`. */
  newestEventId(workspaceId: string): Promise<string> {
    return newestEventId(this.#feed.reader, workspaceId);
  }

  /** The newest event of a workspace: see `newestEvent`. */
  newestEvent(workspaceId: string): Promise<StoredEvent | undefined> {
    return newestEvent(this.#feed.reader, workspaceId);
  }

  /** Reads the stored events of one workspace: see `readEvents`. */
  readEvents(options: ReadEventsOptions): AsyncGenerator<StoredEvent, void, void> {
    return readEvents(this.#feed.reader, options);
  }

  /** Reads the stored events of one workspace, newest first: see `readEventsBefore`. */
  readEventsBefore(
    workspaceId: string,
    before?: number,
  ): AsyncGenerator<StoredEvent, boolean, void> {
    return readEventsBefore(this.#feed.reader, workspaceId, before);
  }

  /** Answers the received calls, flushes what was written, and closes the connection. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    this.#client.close();
    if (this.link.up) {
      // The client's `drain` never resolves if the server disconnects meanwhile.
      const lost = new Promise<void>((resolve) => this.link.onChange((up) => up || resolve()));
      await Promise.race([this.link.nats.drain(), lost]);
    }
    if (!this.link.nats.isClosed()) await this.link.nats.close();
  }
}
