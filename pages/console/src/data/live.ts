import { createClient } from 'graphql-ws';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { gatewayUrl } from '../boot.js';
import { session } from '../session/session.js';
import { request } from './graphql.js';
import { LatestEvent, Live, type LiveSubscription } from './live.graphql.js';

export type LiveEvent = LiveSubscription['events'];
export type LiveStatus = 'connecting' | 'live' | 'away';

/** How long the answer to a ping may take. */
const pongMs = 5000;

/**
 * The one subscription of this page: all events of the workspace, from the last one on after a loss, so that none is missed.
 * Browsers open few connections to an origin; a WebSocket does not count among them.
 */
class LiveEvents {
  #status: LiveStatus = 'connecting';
  #position: string | undefined;
  #stop: (() => void) | undefined;
  readonly #statusListeners = new Set<() => void>();
  readonly #listeners = new Set<(event: LiveEvent) => void>();

  readonly status = (): LiveStatus => this.#status;

  readonly onStatus = (listener: () => void): (() => void) => {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  };

  readonly onEvent = (listener: (event: LiveEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
        connected: () => this.#become('live'),
        // A link that has died says nothing: a ping without its answer closes the connection.
        ping: (isReceived) => {
          if (!isReceived) late = setTimeout(() => socket?.close(4408, 'no pong'), pongMs);
        },
        pong: () => clearTimeout(late),
        closed: () => this.#become('away'),
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
    };
    let isStopped = false;
    // Without a position, events between the first connection and the first event could be missed.
    void request(LatestEvent, {})
      .then(({ eventLog }) => (this.#position ??= eventLog?.nodes[0]?.id))
      .catch(() => undefined)
      .then(() => isStopped || subscribe());
    return () => {
      isStopped = true;
      const stop = this.#stop;
      this.#stop = undefined;
      stop?.();
      void client.dispose();
    };
  }

  #receive({ events: event }: LiveSubscription): void {
    this.#position = event.id;
    for (const listener of this.#listeners) listener(event);
  }

  #become(status: LiveStatus): void {
    this.#status = status;
    for (const listener of this.#statusListeners) listener();
  }
}

export const live = new LiveEvents();

/** Calls a function with each event of the workspace, while the component is mounted. */
export function useLiveEvents(receive: (event: LiveEvent) => void): void {
  const latest = useRef(receive);
  latest.current = receive;
  useEffect(() => live.onEvent((event) => latest.current(event)), []);
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(live.onStatus, live.status);

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
