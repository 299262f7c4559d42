import type { ExecutionContext } from 'ava';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { TestKey } from '../../stub-services.js';

/** One result of a subscription. */
export interface Result {
  data?: Record<string, unknown> | null | undefined;
  errors?: readonly { extensions?: Record<string, unknown> | undefined }[] | undefined;
}

/** The interface that the clients of graphql-sse and graphql-ws have in common. */
export interface SubscriptionClient {
  subscribe(
    payload: { query: string; variables: Record<string, unknown> },
    sink: {
      next(result: Result): void;
      error(error: unknown): void;
      complete(): void;
    },
  ): () => void;
}

type Transport = (t: ExecutionContext, url: string, key: TestKey) => SubscriptionClient;

export const overSse: Transport = (t, url, { apiKey }) => {
  const client = createSseClient({
    url: `${url}/graphql`,
    retryAttempts: 0,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  t.teardown(() => client.dispose());
  return client;
};

export const overWebSocket: Transport = (t, url, { apiKey }) => {
  const client = createWsClient({
    url: webSocketUrl(url),
    webSocketImpl: WebSocket,
    // Open until it is disposed of. The timer of `lazyCloseTimeout` would keep the process alive after the tests.
    lazy: false,
    onNonLazyError: () => {},
    retryAttempts: 0,
    connectionParams: { headers: { Authorization: `Bearer ${apiKey}` } },
  });
  t.teardown(() => client.dispose());
  return client;
};

export const transports = { SSE: overSse, WebSocket: overWebSocket };

/** A WebSocket to the gateway, without the messages that graphql-ws would send. */
export function openWebSocket(
  t: ExecutionContext,
  url: string,
  headers: Record<string, string> = {},
): WebSocket {
  const socket = new WebSocket(webSocketUrl(url), 'graphql-transport-ws', { headers });
  t.teardown(() => socket.terminate());
  return socket;
}

const webSocketUrl = (url: string): string => `${url.replace('http', 'ws')}/graphql`;
