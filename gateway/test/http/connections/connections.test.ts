import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Connections } from '../../../http/connections/connections.js';

/** A server that counts its connections, and clients of it at loopback addresses. */
async function openServer(t: ExecutionContext, max: number, perAddressMax: number) {
  const ended: string[] = [];
  const accepted: Socket[] = [];
  const busy = new Set<Socket>();
  const connections = new Connections({
    max,
    perAddressMax,
    isProxy: (address) => address === '127.0.0.9',
    busy: () => busy,
    onEnded: (reason) => ended.push(reason),
  });
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => {}).resume();
    connections.open(socket);
  });
  const clients: Socket[] = [];
  t.teardown(() => {
    connections.stop();
    for (const client of clients) client.destroy();
    server.close();
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  /** Opens a connection, and returns the server's end of it. */
  async function open(localAddress = '127.0.0.1'): Promise<{ client: Socket; socket: Socket }> {
    const before = accepted.length;
    const client = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    clients.push(client);
    await eventually(() => accepted.length > before);
    return { client, socket: accepted[before]! };
  }
  /** The second sweep finds connections without a request since the first. */
  const sweepTwice = () => {
    connections.sweep();
    connections.sweep();
  };
  return { connections, open, sweepTwice, ended, busy };
}

test('refuses a connection over the maximum, and accepts one when another was closed', async (t) => {
  const { open, connections, ended } = await openServer(t, 2, 2);
  const first = await open('127.0.0.1');
  await open('127.0.0.2');
  t.true((await open('127.0.0.3')).socket.destroyed);
  t.deepEqual(ended, ['connections_max']);
  first.client.destroy();
  await eventually(() => connections.count === 1);
  t.false((await open('127.0.0.3')).socket.destroyed);
});

test('the connections of a reverse proxy are limited in total only', async (t) => {
  const { open, ended } = await openServer(t, 4, 2);
  for (let count = 0; count < 4; count += 1) t.false((await open('127.0.0.9')).socket.destroyed);
  t.true((await open('127.0.0.9')).socket.destroyed);
  t.deepEqual(ended, ['connections_max']);
});

test('refuses a connection over the share of an address, while other addresses may connect', async (t) => {
  const { open, ended } = await openServer(t, 10, 2);
  await open();
  await open();
  t.true((await open()).socket.destroyed);
  t.deepEqual(ended, ['address_share']);
  t.false((await open('127.0.0.2')).socket.destroyed);
});

test('closes an idle connection in favour of a new one, first of the address with the most', async (t) => {
  const { open, sweepTwice, ended } = await openServer(t, 4, 3);
  const neighbour = await open('127.0.0.2');
  const idle = [await open(), await open(), await open()];
  sweepTwice();
  t.false((await open('127.0.0.3')).socket.destroyed);
  t.is(idle.filter(({ socket }) => socket.destroyed).length, 1);
  t.false(neighbour.socket.destroyed);
  t.deepEqual(ended, ['idle']);
});

test('an address at its share replaces its own idle connections', async (t) => {
  const { open, sweepTwice } = await openServer(t, 10, 2);
  const neighbour = await open('127.0.0.2');
  const own = [await open(), await open()];
  sweepTwice();
  t.false((await open()).socket.destroyed);
  t.is(own.filter(({ socket }) => socket.destroyed).length, 1);
  t.false(neighbour.socket.destroyed);
});

test('does not close connections that are busy, upgraded, paused, new, or that received anything', async (t) => {
  const { open, connections, sweepTwice, busy, ended } = await openServer(t, 5, 5);
  const [working, upgraded, paused, active] = [
    await open(),
    await open(),
    await open(),
    await open(),
  ];
  busy.add(working.socket);
  connections.upgraded(upgraded.socket);
  paused.socket.pause();
  sweepTwice();
  await open();
  connections.sweep();
  active.client.write('GET');
  await eventually(() => active.socket.bytesRead === 3);
  t.true((await open('127.0.0.2')).socket.destroyed);
  t.deepEqual(ended, ['connections_max']);
});
