import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * How a proxy treats its connections:
 * - `refuse`: existing connections are closed, new ones are refused;
 * - `ignore`: existing connections are closed, new ones are accepted and not answered;
 * - `reset`: existing connections are closed, new ones are reset;
 * - `break`: existing connections transfer nothing, and are reset when the client sends data;
 * - `silence`: existing connections stay open and transfer nothing.
 */
export type ProxyMode = 'forward' | 'refuse' | 'ignore' | 'reset' | 'break' | 'silence';

/** How a proxy transfers data. Every connection and direction has its own order and bandwidth. */
export interface LinkShape {
  latencyMs?: number;
  bytesPerSecond?: number;
  /** Share of chunks that arrive after `retransmissionMs`, as if lost once. Later chunks wait for them. */
  lostShare?: number;
}

/** The smallest retransmission timeout of Linux. */
const retransmissionMs = 200;

/** A TCP proxy to a server on this machine, which simulates network failures. */
export class TcpProxy {
  /** The target of connections that are accepted from now on. */
  target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#accept(socket));
  #mode: ProxyMode = 'forward';
  #shape: LinkShape = {};
  #port = 0;
  #accepted = 0;

  private constructor(target: { host: string; port: number }) {
    this.target = target;
  }

  static async start(target: { host: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.#listen();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** Number of connections accepted since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  async setMode(mode: ProxyMode): Promise<void> {
    const before = this.#mode;
    this.#mode = mode;
    if (mode === 'refuse') this.#server.close();
    else if (before === 'refuse') await this.#listen();
    if (['refuse', 'ignore', 'reset'].includes(mode) || before !== 'forward') this.#destroyAll();
  }

  /** Applies to data that arrives from now on. */
  setShape(shape: LinkShape): void {
    this.#shape = shape;
  }

  stop(): void {
    this.#server.close();
    this.#destroyAll();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #accept(client: Socket): void {
    this.#accepted += 1;
    this.#add(client);
    if (this.#mode === 'reset') client.resetAndDestroy();
    if (this.#mode !== 'forward') return;
    const server = connect(this.target.port, this.target.host);
    this.#add(server);
    const [toServer, toClient] = [this.#transferTo(server), this.#transferTo(client)];
    client.on('data', (bytes) => {
      if (this.#mode === 'break') client.resetAndDestroy();
      else toServer(bytes);
    });
    server.on('data', toClient);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  /** One direction of a connection. */
  #transferTo(socket: Socket): (bytes: Buffer) => void {
    const queue: { bytes: Buffer; dueAt: number }[] = [];
    let freeAt = 0;
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      timer = undefined;
      while (queue.length > 0 && queue[0]!.dueAt <= performance.now()) {
        const { bytes } = queue.shift()!;
        if (socket.writable) socket.write(bytes);
      }
      if (queue.length > 0) timer = setTimeout(send, queue[0]!.dueAt - performance.now());
    };
    return (bytes) => {
      if (this.#mode !== 'forward') return;
      const { latencyMs = 0, bytesPerSecond = Infinity, lostShare = 0 } = this.#shape;
      const lateMs = latencyMs + (Math.random() < lostShare ? retransmissionMs : 0);
      freeAt = Math.max(freeAt, performance.now() + lateMs);
      freeAt += (bytes.length / bytesPerSecond) * 1000;
      queue.push({ bytes, dueAt: freeAt });
      if (!timer) send();
    };
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
