/** Limits of subscriptions and their connections. The reference lists them, and a test compares both. */
export const subscriptionLimits = {
  /** Maximum number of open subscriptions of an API key. */
  perKey: 100,
  /** Maximum number of open WebSockets of an API key. */
  webSocketsPerKey: 100,
  /** Maximum number of operations on one WebSocket, including those that are not answered yet. */
  operations: 100,
  /** Time for a client to send its key over a WebSocket. */
  silentMs: 3000,
  /** Characters of the ID of an operation on a WebSocket, which each of its messages repeats. */
  idLength: 128,
  /** Tokens of a document: it is kept in memory as long as the subscription is open. */
  tokens: 300,
  /** Bytes of a request: its variables are kept as well. */
  requestBytes: 64 * 1024,
  /** Bytes of messages to one WebSocket that its client has not read. */
  webSocketUnreadBytes: 1024 * 1024,
  /** Bytes of events and messages that clients have not read, of all workspaces together. One can take half of it. */
  unreadBytes: 64 * 1024 * 1024,
} as const;

/** Maximum of one workspace, of a maximum for all. */
export const workspaceShare = (max: number): number => Math.ceil(max / 2);

/** Maximum of the WebSockets without a verified key of one network: of all, they have half. */
export const networkShare = (max: number): number => Math.ceil(max / 10);

/** Time for a slow client to read the last result, or to complete the closing handshake, before it is disconnected. */
export const lastResultMs = 5000;
