import { Connection } from './connection.js';
import type { ConnectOptions } from './connect.js';
import type { EgressProxy } from './egress-proxy.js';

export interface ReceiverConnectionsOptions extends ConnectOptions {
  /** Idle connections kept per origin. */
  idlePerOriginMax?: number;
  /** Connections to one address, of all origins, idle or not. */
  perAddressMax?: number;
  /** Idle connections kept in all. */
  idleMax?: number;
  idleMs?: number;
}

/** Whether a connection to this address may be made. */
export type MayConnect = (address: string) => boolean;

/** Keeps connections between attempts, and counts them by address. */
export class ReceiverConnections {
  readonly #options: ReceiverConnectionsOptions;
  readonly #idle = new Map<string, Connection[]>();
  /** All idle connections, the longest idle first. */
  readonly #order = new Set<Connection>();
  readonly #busy = new Set<Connection>();
  readonly #openTo = new Map<string, number>();

  constructor(options: ReceiverConnectionsOptions) {
    this.#options = options;
  }

  get proxy(): EgressProxy | undefined {
    return this.#options.proxy;
  }

  /** An idle connection to the URL's origin, else a new one. The caller then calls `giveBack` or `drop`. */
  acquire(url: URL, mayConnect?: MayConnect): Connection {
    const connection = this.#takeIdle(url.origin);
    if (!connection) return this.open(url, mayConnect);
    this.#busy.add(connection);
    return connection;
  }

  /** As `acquire`, but always a new connection. */
  open(url: URL, mayConnect: MayConnect = () => true): Connection {
    const { idleMs = 30_000 } = this.#options;
    const count = (address: string) => (mayConnect(address) ? this.#count(address) : undefined);
    const connection = new Connection(url, { ...this.#options, count, idleMs }, (closed) =>
      this.#forget(closed),
    );
    this.#busy.add(connection);
    return connection;
  }

  /** Keeps the connection for the next attempt. Above a limit, the connection that was idle longest is closed. */
  giveBack(connection: Connection): void {
    this.#busy.delete(connection);
    if (!connection.open) return;
    const { idlePerOriginMax = 32, idleMax = 1024 } = this.#options;
    let idle = this.#idle.get(connection.origin);
    if (!idle) this.#idle.set(connection.origin, (idle = []));
    idle.push(connection);
    this.#order.add(connection);
    const [longest] = idle.length > idlePerOriginMax ? idle : this.#order;
    if (idle.length > idlePerOriginMax || this.#order.size > idleMax) {
      this.#forget(longest!);
      longest!.end();
    }
  }

  drop(connection: Connection): void {
    this.#busy.delete(connection);
    connection.end();
  }

  /** Ends the exchanges in flight, which reject with the reason. */
  interrupt(reason: Error): void {
    for (const connection of this.#busy) connection.end(reason);
  }

  close(): void {
    for (const connection of this.#order) connection.end();
    this.#idle.clear();
    this.#order.clear();
  }

  #takeIdle(origin: string): Connection | undefined {
    const idle = this.#idle.get(origin);
    for (let connection = idle?.pop(); connection; connection = idle?.pop()) {
      this.#order.delete(connection);
      if (idle!.length === 0) this.#idle.delete(origin);
      if (connection.open) return connection;
    }
    return undefined;
  }

  /** At the limit, an idle connection to the address is closed, if there is one. */
  #count(address: string): (() => void) | undefined {
    const { perAddressMax = Infinity } = this.#options;
    const count = this.#openTo.get(address) ?? 0;
    if (count >= perAddressMax) {
      const idle = [...this.#order].find(({ facts }) => facts?.address === address);
      if (!idle) return undefined;
      this.#forget(idle);
      idle.end();
    }
    this.#openTo.set(address, (this.#openTo.get(address) ?? 0) + 1);
    return () => {
      const left = this.#openTo.get(address)! - 1;
      if (left === 0) this.#openTo.delete(address);
      else this.#openTo.set(address, left);
    };
  }

  #forget(connection: Connection): void {
    if (!this.#order.delete(connection)) return;
    const idle = this.#idle.get(connection.origin)!;
    idle.splice(idle.indexOf(connection), 1);
    if (idle.length === 0) this.#idle.delete(connection.origin);
  }
}
