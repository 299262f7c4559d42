import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { Client as Documented } from 'undici';
import { Client, leniency, parserOf } from '../../attempt/undici-client.js';

const lacksIt =
  'this version of undici lacks it: change services/dispatcher/attempt/undici-client.ts';

test('undici contains the file of its client, which is the client that it documents', (t) => {
  t.is(Client, Documented, lacksIt);
});

test('undici contains the parser of a connection, with its options and the functions that are overridden', async (t) => {
  const server = createServer((socket) => t.teardown(() => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port });
  const client = new Client(`http://127.0.0.1:${port}`, {
    connect: (_, callback) => void socket.once('connect', () => callback(null, socket)),
  });
  t.teardown(() => client.destroy());
  void client.request({ method: 'GET', path: '/' }).catch(() => undefined);
  await once(client, 'connect');
  const parser = parserOf(socket);
  const parts = [parser.ptr, parser.contentLength];
  t.deepEqual(
    parts.map((part) => typeof part),
    ['number', 'number'],
    lacksIt,
  );
  const functions = [
    ...[parser.onHeadersComplete, parser.createError],
    ...leniency.map((option) => parser.llhttp[option]),
  ];
  for (const each of functions) t.is(typeof each, 'function', lacksIt);
});
