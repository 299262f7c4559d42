import type { Socket } from 'node:net';
import { Shares } from '../shares.js';
import { networkOf } from './trusted-proxies.js';

/** A connection counts as idle if it was idle at two consecutive sweeps. */
const sweepMs = 5_000;

export type ConnectionRefusal = 'connections_max' | 'address_share';

export interface ConnectionsOptions {
  max: number;
  /** Maximum number of connections from one IPv4 address, or one /64 network of IPv6. */
  perAddressMax: number;
  /** Whether an address is that of a reverse proxy: it has connections for many clients, and only the total limits them. */
  isProxy(address: string): boolean;
  /** Sockets with a request whose response has not ended. */
  busy(): Iterable<Socket>;
  /** A connection was refused, or an idle one was closed in favour of a new one. */
  onEnded(reason: ConnectionRefusal | 'idle'): void;
}

interface Connection {
  socket: Socket;
  network: string;
  /** `bytesRead` at the last sweep; -1 before the first. */
  bytesRead: number;
  /** Upgraded to another protocol, whose messages are not requests. */
  isUpgraded: boolean;
}

/**
 * The open connections, bounded in total and by remote address. When a bound is reached, a new connection replaces an idle
 * one, or is refused if there is none. Idle connections are found by a periodic sweep, so that requests cost nothing.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  /** Those of proxies exceed their share. */
  readonly #ofNetwork: Shares;
  /** Idle at the last sweep. Those of the networks with the most connections are last. */
  #idle: Connection[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#ofNetwork = new Shares(options.max, options.perAddressMax);
    this.#timer = setInterval(() => this.sweep(), sweepMs).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  get max(): number {
    return this.#options.max;
  }

  /** Counts a new connection, or destroys it. */
  open(socket: Socket): void {
    const { max, isProxy, onEnded } = this.#options;
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    if (this.#ofNetwork.isUsedUp(network) && !isProxy(address) && !this.#closeIdle(network)) {
      socket.destroy();
      return onEnded('address_share');
    }
    if (this.#open.size >= max && !this.#closeIdle()) {
      socket.destroy();
      return onEnded('connections_max');
    }
    const connection = { socket, network, bytesRead: -1, isUpgraded: false };
    this.#open.set(socket, connection);
    this.#ofNetwork.take(network);
    socket.once('close', () => this.#forget(connection));
  }

  /** The connection never counts as idle afterwards. */
  upgraded(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection) connection.isUpgraded = true;
  }

  /** Finds the idle connections, unless there are too few connections to need any. */
  sweep(): void {
    this.#idle = [];
    const { max, perAddressMax, busy: listBusy } = this.#options;
    if (this.#open.size < Math.min(max, perAddressMax) / 2) return;
    const busy = new Set(listBusy());
    for (const connection of this.#open.values()) {
      const { socket, bytesRead } = connection;
      connection.bytesRead = socket.bytesRead;
      if (isIdle(connection, bytesRead) && !busy.has(socket)) this.#idle.push(connection);
    }
    this.#idle.sort(
      (a, b) => this.#ofNetwork.amountOf(a.network) - this.#ofNetwork.amountOf(b.network),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Closes an idle connection: of the given network, or of those with the most connections. */
  #closeIdle(network?: string): boolean {
    for (;;) {
      const index = network
        ? this.#idle.findLastIndex((one) => one.network === network)
        : this.#idle.length - 1;
      const [connection] = index < 0 ? [] : this.#idle.splice(index, 1);
      if (!connection) return false;
      if (!this.#open.has(connection.socket) || !isIdle(connection, connection.bytesRead)) continue;
      this.#forget(connection);
      connection.socket.destroy();
      this.#options.onEnded('idle');
      return true;
    }
  }

  #forget({ socket, network }: Connection): void {
    if (this.#open.delete(socket)) this.#ofNetwork.give(network);
  }
}

/** Whether nothing was received since `bytesRead`, nothing is to be sent, and no request is left in the kernel's buffer. */
const isIdle = ({ socket, isUpgraded }: Connection, bytesRead: number): boolean =>
  !isUpgraded &&
  socket.bytesRead === bytesRead &&
  socket.writableLength === 0 &&
  !socket.isPaused();
