import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** Answers a request to the proxy instead of opening a tunnel. Returns false to open it. */
type Refuse = (socket: Socket, authority: string) => boolean;

export interface TestProxy {
  url: string;
  port: number;
  /** The heads of the requests to it. */
  heads: string[];
  refuse: Refuse;
  /** Closes it and all tunnels. */
  stop(): Promise<void>;
  /** Begins to listen at the same port again. */
  start(): Promise<void>;
}

/** A proxy on loopback that opens tunnels with CONNECT, and answers 501 to other requests. */
export async function proxyFor(t: ExecutionContext): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  let port = 0;
  let server: Server | undefined;
  const proxy: TestProxy = {
    url: '',
    port,
    heads: [],
    refuse: () => false,
    async start() {
      server = createServer((socket) => {
        keep(socket).once('data', (data) => serve(socket, data.toString('latin1')));
      });
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    },
    async stop() {
      const stopped = server;
      server = undefined;
      if (!stopped) return;
      stopped.close();
      for (const socket of sockets) socket.resetAndDestroy();
      await once(stopped, 'close');
    },
  };
  const serve = (socket: Socket, head: string) => {
    proxy.heads.push(head);
    const [, authority] = /^CONNECT (\S+) /.exec(head) ?? [];
    if (authority === undefined) {
      socket.end('HTTP/1.1 501 Not Implemented\r\n\r\n');
      return;
    }
    if (proxy.refuse(socket, authority)) return;
    const target = connect({ host: '127.0.0.1', port: Number(authority.split(':').at(-1)) }, () => {
      socket.write('HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    keep(target);
    socket.on('close', () => target.destroy());
    target.on('close', () => socket.destroy());
  };
  await proxy.start();
  t.teardown(() => proxy.stop());
  return Object.assign(proxy, { port, url: `http://127.0.0.1:${port}` });
}

/** Answers every request with this head. */
export const answering =
  (head: string): Refuse =>
  (socket) => {
    socket.end(`${head}\r\n\r\n`);
    return true;
  };
