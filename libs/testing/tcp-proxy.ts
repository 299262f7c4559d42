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

/** A TCP proxy to a server on this machine, which simulates network failures. */
export class TcpProxy {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#accept(socket));
  #mode: ProxyMode = 'forward';
  #port = 0;
  #accepted = 0;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
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
    const server = connect(this.#target.port, this.#target.host);
    this.#add(server);
    client.on('data', (bytes) => {
      if (this.#mode === 'break') client.resetAndDestroy();
      else if (this.#mode === 'forward') server.write(bytes);
    });
    server.on('data', (bytes) => void (this.#mode === 'forward' && client.write(bytes)));
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
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
