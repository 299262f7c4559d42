import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { ClientConfig } from 'pg';

// pg documents neither of the two. A test fails if a version lacks one.

export const connectionOf = (client: pg.Client) =>
  (client as unknown as { connection: EventEmitter & { stream: Socket } }).connection;

/** Whether a response to a statement is outstanding. */
export const isIdle = (client: pg.Client) =>
  (client as unknown as { readyForQuery: boolean }).readyForQuery;

/**
 * Returns to the pool exactly once, immediately when it breaks. Otherwise Kysely, which acquires connections by promise,
 * would never release one that broke in a transaction, because it cannot be rolled back.
 */
export function lent(borrowed: pg.PoolClient): pg.PoolClient {
  const client = borrowed as pg.PoolClient & ServerClient;
  const release = client.release.bind(client);
  client.giveBack = (error) => {
    client.giveBack = undefined;
    release(error);
  };
  client.release = (error) => client.giveBack?.(error);
  return client;
}

export type ServerClient = pg.Client & {
  at: number;
  generation: number;
  giveBack: ((error?: Error | boolean) => void) | undefined;
};
export type Connect = (callback: Connected) => void;
export type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: unknown) => void,
) => void;

/**
 * Options of a connection to one server, from those of all. The driver hides the password and the private key from copies of its
 * options. For an IP address it names no host to TLS, which would then accept a certificate for `localhost`.
 */
export function clientConfig(
  config: ClientConfig,
  { host, port }: { host: string; port: number },
): ClientConfig {
  const { password, ssl } = config;
  const all = { ...config, password, host, port };
  if (!ssl) return all;
  if (ssl === true) return { ...all, ssl: { host } };
  return { ...all, ssl: { ...ssl, ...(ssl.key && { key: ssl.key }), host } };
}
