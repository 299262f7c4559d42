import { createClient } from 'graphql-ws';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { gatewayUrl } from '../boot.js';
import { session } from '../session/session.js';
import { request } from './graphql.js';
import {
  Activity as ActivityDocument,
  LatestEvents,
  Live,
  type ActivitySubscription,
  type LatestEventsQuery,
  type LiveSubscription,
} from './live.graphql.js';

export type LiveEvent = LiveSubscription['events'];
export type Activity = ActivitySubscription['activity'];
export type LiveStatus = 'connecting' | 'live' | 'away';

/** How long the answer to a ping may take. */
const pongMs = 5000;
/** Before all events. */
const beginning = 'evt_00000000000000000000000000';
/** Events of this time before the page was opened are received, too: a list may be read before the position is. */
const overlapMs = 10_000;

/**
 * The one WebSocket of this page: all events of the workspace, from the last one on after a loss, so that none is missed, and what
 * else changes in it.
 * Browsers open few connections to an origin; a WebSocket does not count among them.
 */
class LiveEvents {
  #status: LiveStatus = 'connecting';
  #position: string | undefined;
  #stop: (() => void) | undefined;
  #isConnected = false;
  readonly #statusListeners = new Set<() => void>();
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  readonly #activityListeners = new Set<(activity: Activity) => void>();

  readonly status = (): LiveStatus => this.#status;

  readonly onStatus = (listener: () => void): (() => void) => {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  };

  readonly onEvent = (listener: (event: LiveEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly onActivity = (listener: (activity: Activity) => void): (() => void) => {
    this.#activityListeners.add(listener);
    return () => this.#activityListeners.delete(listener);
  };

  /** Until the returned function is called. */
  start(): () => void {
    let socket: WebSocket | undefined;
    let late: ReturnType<typeof setTimeout> | undefined;
    const client = createClient({
      url: `${gatewayUrl.replace(/^http/, 'ws')}/graphql`,
      connectionParams: async () => ({ authorization: `Bearer ${await session.token()}` }),
      lazy: false,
      keepAlive: 10_000,
      retryAttempts: Infinity,
      retryWait: (retries) =>
        wait(Math.min(1000 * 2 ** retries, 15_000) * (0.5 + Math.random() / 2)),
      // A token that expires closes the connection; the next one has another token.
      shouldRetry: () => session.state().status === 'signed-in',
      on: {
        opened: (opened) => (socket = opened as WebSocket),
        connected: () => {
          this.#isConnected = true;
          this.#becomeLive();
        },
        // A link that has died says nothing: a ping without its answer closes the connection.
        ping: (isReceived) => {
          if (!isReceived) late = setTimeout(() => socket?.close(4408, 'no pong'), pongMs);
        },
        pong: () => clearTimeout(late),
        closed: () => {
          this.#isConnected = false;
          this.#become('away');
        },
      },
    });
    const position = () => this.#position ?? null;
    const again = () => void wait(2000).then(() => this.#stop && subscribe());
    const subscribe = () => {
      this.#stop = client.subscribe(
        {
          query: Live,
          // Read again whenever the client subscribes again after a loss.
          variables: {
            get after() {
              return position();
            },
          },
        },
        {
          next: ({ data }) => data && this.#receive(data as unknown as LiveSubscription),
          error: (error) => {
            // The position is not known any more: the reader was away for longer than events are kept.
            if (Array.isArray(error)) this.#position = undefined;
            again();
          },
          complete: again,
        },
      );
      this.#becomeLive();
    };
    let isStopped = false;
    let stopActivity = () => {};
    const followActivity = () => {
      stopActivity = client.subscribe(
        { query: ActivityDocument },
        {
          next: ({ data }) => data && this.#tell(data as unknown as ActivitySubscription),
          error: followActivityAgain,
          complete: followActivityAgain,
        },
      );
    };
    // Later than events, which must not be missed: a gateway of the former release refuses it.
    function followActivityAgain() {
      void wait(5000).then(() => isStopped || followActivity());
    }
    followActivity();
    // Without a position, events between the first connection and the first event could be missed.
    void request(LatestEvents, {})
      .then((latest) => (this.#position ??= startOf(latest)))
      .catch(() => undefined)
      .then(() => isStopped || subscribe());
    return () => {
      isStopped = true;
      const stop = this.#stop;
      this.#stop = undefined;
      stop?.();
      stopActivity();
      void client.dispose();
    };
  }

  #receive({ events: event }: LiveSubscription): void {
    this.#position = event.id;
    for (const listener of this.#listeners) listener(event);
  }

  #tell({ activity }: ActivitySubscription): void {
    for (const listener of this.#activityListeners) listener(activity);
  }

  /** Once events are received, and not before. */
  #becomeLive(): void {
    if (this.#isConnected && this.#stop) this.#become('live');
  }

  #become(status: LiveStatus): void {
    this.#status = status;
    for (const listener of this.#statusListeners) listener();
  }
}

export const live = new LiveEvents();

function startOf({ eventLog }: LatestEventsQuery): string {
  const events = eventLog?.nodes ?? [];
  const openedAt = Date.now() - overlapMs;
  const former = events.find(({ createdAt }) => Date.parse(createdAt) < openedAt);
  return (former ?? events.at(-1))?.id ?? beginning;
}

/** Calls a function with each event of the workspace, while the component is mounted. */
export function useLiveEvents(receive: (event: LiveEvent) => void): void {
  const latest = useRef(receive);
  latest.current = receive;
  useEffect(() => live.onEvent((event) => latest.current(event)), []);
}

/** Calls a function with what changed in the workspace, while the component is mounted. */
export function useActivity(receive: (activity: Activity) => void): void {
  const latest = useRef(receive);
  latest.current = receive;
  useEffect(() => live.onActivity((activity) => latest.current(activity)), []);
}

/**
 * Calls `refresh` when activity concerns what is shown: at once, and then once in a while.
 *
 * @param delayMs until what was announced can be read
 */
export function useRefresh(
  concerns: (activity: Activity) => boolean,
  refresh: () => void,
  everyMs = 1000,
  delayMs = 0,
): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  const lastAt = useRef(-Infinity);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useActivity((activity) => {
    if (timer.current !== undefined || !concerns(activity)) return;
    const run = () => {
      timer.current = undefined;
      lastAt.current = performance.now();
      latest.current();
    };
    const waitMs = Math.max(delayMs, lastAt.current + everyMs - performance.now());
    if (waitMs > 0) timer.current = setTimeout(run, waitMs);
    else run();
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}

/** Whether one of these webhooks has another circuit, or one of their deliveries has changed. */
export const concernsWebhook = (
  { deliveries, webhooks, more }: Activity,
  isShown: (webhookId: string) => boolean,
): boolean =>
  more ||
  webhooks.some(({ id }) => isShown(id)) ||
  deliveries.some(({ webhookId }) => isShown(webhookId));

/**
 * What activity announces is read again at this interval as well: a hint may be lost, the WebSocket be closed, or a service of the
 * former release announce nothing.
 */
export const fallbackMs = 30_000;

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(live.onStatus, live.status);

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
