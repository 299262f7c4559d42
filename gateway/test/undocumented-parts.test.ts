import Koa from 'koa';
import { once } from 'node:events';
import { Server } from 'node:http';
import { connect, Server as TcpServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { assertObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { z } from 'zod';
import { buildRosterSchema } from '../graphql/build-schema.js';

const whatToDo = (library: string, file: string) =>
  `this version of ${library} lacks it: change gateway/${file}`;

test('Zod parses with `_zod.run`, and completes issues with `core.util.finalizeIssue`', (t) => {
  const message = whatToDo('zod', 'operations/check-input.ts');
  t.is(typeof z.string()._zod.run, 'function', message);
  t.is(typeof z.core.util.finalizeIssue, 'function', message);
});

test('Koa answers requests with `handleRequest`, which can be overridden', (t) => {
  const { handleRequest } = Koa.prototype as { handleRequest?: unknown };
  t.is(typeof handleRequest, 'function', whatToDo('koa', 'http/app.ts'));
  t.regex(
    Koa.prototype.callback.toString(),
    /this\.handleRequest\(/,
    whatToDo('koa', 'http/app.ts'),
  );
});

test('type-graphql leaves fields with `simpleResolvers` to the default resolver', (t) => {
  const message = whatToDo('type-graphql', 'graphql/build-schema.ts');
  const { email } = assertObjectType(buildRosterSchema().getType('Contact')).getFields();
  t.is(email!.resolve, undefined, message);
  t.true(getMetadataStorage().objectTypes.length > 0, message);
});

test('servers of Node have `httpAllowHalfOpen`', (t) => {
  const server = new Server();
  t.true('httpAllowHalfOpen' in server, whatToDo('Node', 'http/server.ts'));
});

test('`close` of TCP servers leaves the idle connections of an HTTP server open', async (t) => {
  const message = whatToDo('Node', 'http/server.ts');
  const server = new Server((_, response) => void response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  TcpServer.prototype.close.call(server);
  t.false(server.listening, message);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  t.regex(answer.toString(), /^HTTP\/1.1 200/, message);
});
