import { Connection } from './connection.js';

const openAtFirst = 64;

/** Connections to one server, up to a maximum. */
export class ConnectionPool {
  readonly #port: number;
  readonly #connectionsMax: number;
  readonly #free: Connection[];
  readonly #all: Set<Connection>;
  #opening = 0;

  private constructor(port: number, connectionsMax: number, connections: Connection[]) {
    this.#port = port;
    this.#connectionsMax = connectionsMax;
    this.#free = connections;
    this.#all = new Set(connections);
  }

  static async open(port: number, connectionsMax: number): Promise<ConnectionPool> {
    const count = Math.min(openAtFirst, connectionsMax);
    const connections = await Promise.all(
      Array.from({ length: count }, () => Connection.open(port)),
    );
    return new ConnectionPool(port, connectionsMax, connections);
  }

  /** Whether no further connection may be opened. */
  get isFull(): boolean {
    return this.#all.size + this.#opening >= this.#connectionsMax;
  }

  /** A free connection. Servers close connections that were idle for seconds: closed ones are removed. */
  take(): Connection | undefined {
    for (let one = this.#free.pop(); one; one = this.#free.pop()) {
      if (one.isOpen) return one;
      this.remove(one);
    }
    return undefined;
  }

  /** Opens a connection, which is in use from the start. */
  async add(): Promise<Connection> {
    this.#opening += 1;
    try {
      const connection = await Connection.open(this.#port);
      this.#all.add(connection);
      return connection;
    } finally {
      this.#opening -= 1;
    }
  }

  release(connection: Connection): void {
    this.#free.push(connection);
  }

  remove(connection: Connection): void {
    this.#all.delete(connection);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }
}
