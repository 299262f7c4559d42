import { Json } from '@roster/bus';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { problemIn } from '../../problem-document.js';
import { contactId } from '../../stub-results.js';
import { bearer, gatewayFor, type TestGateway } from '../../test-gateway.js';

const contactPath = `/v1/contacts/${contactId}`;
/** More than the kernel takes for a client that does not read. */
const pageBytes = 9 * 1024 * 1024;
const page = new Json(JSON.stringify({ contacts: ['x'.repeat(pageBytes)] }));

const list = (apiKey: string) =>
  `GET /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;

/** A client that sends text and does not read. */
async function sendOnly(t: ExecutionContext, port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
    .on('error', () => {})
    .pause();
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function valueOf({ metrics }: TestGateway, name: string): Promise<number> {
  return Number(new RegExp(`^${name}[{ ].*?([\\d.e+]+)$`, 'm').exec(await metrics.metrics())![1]);
}

/** Waits until the responses of a number of connections are written and not read. */
const untilUnread = (gateway: TestGateway, count: number) =>
  eventually(async () => (await valueOf(gateway, 'roster_http_unread_bytes')) >= count * pageBytes);

test('answers the requests of a connection one after another, each once the response to the former is read', async (t) => {
  const gateway = await gatewayFor(t);
  const { port, stubs, send } = gateway;
  stubs.answer('contacts.list', () => page);
  const socket = await sendOnly(t, port, list(stubs.makeKey().apiKey).repeat(3));
  await untilUnread(gateway, 1);
  for (let request = 0; request < 20; request += 1) t.is((await send(contactPath)).status, 200);
  t.is(stubs.calls('contacts.list').length, 1);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await eventually(() => bytes > 3 * pageBytes);
  t.is(stubs.calls('contacts.list').length, 3);
  await eventually(async () => (await valueOf(gateway, 'roster_http_unread_bytes')) === 0);
});

test('connections that do not read hold no slot, and requests of other workspaces are answered', async (t) => {
  const gateway = await gatewayFor(t, { MAX_CONCURRENT: 1 });
  const { port, stubs, send } = gateway;
  t.is((await send(contactPath)).status, 200);
  stubs.answer('contacts.list', () => page);
  const { apiKey } = stubs.makeKey();
  for (let count = 1; count <= 4; count += 1) {
    await sendOnly(t, port, list(apiKey).repeat(50));
    await untilUnread(gateway, Math.min(count, 4));
  }
  // At the share of the workspace: further connections get small refusals only.
  for (let count = 0; count < 16; count += 1) await sendOnly(t, port, list(apiKey).repeat(50));
  await eventually(async () =>
    (await gateway.metrics.metrics()).match(/operation="contacts.list",status="503".* 800$/m),
  );
  for (let request = 0; request < 100; request += 1) t.is((await send(contactPath)).status, 200);
  t.is(stubs.calls('contacts.list').length, 4);
  t.is(await valueOf(gateway, 'roster_http_requests_in_flight'), 0);
  t.is(await valueOf(gateway, 'roster_http_connections_max'), 8192);
});

test('refuses a workspace whose unread responses take its share, before the operation is called', async (t) => {
  const gateway = await gatewayFor(t);
  const { port, stubs, send, post } = gateway;
  stubs.answer('contacts.list', () => page);
  const key = stubs.makeKey();
  const sockets: Socket[] = [];
  for (let count = 1; count <= 4; count += 1) {
    sockets.push(await sendOnly(t, port, list(key.apiKey)));
    await untilUnread(gateway, count);
  }
  const refused = await post('/v1/contacts', { email: 'a@example.com' }, bearer(key.apiKey));
  t.is(refused.headers.get('retry-after'), '1');
  const problem = await problemIn(refused);
  t.is(problem.code, 'unavailable');
  t.regex(problem.detail, /have not been read/);
  const query = await post('/graphql', { query: '{ me { id } }' }, bearer(key.apiKey));
  t.is(query.status, 503);
  t.is(stubs.calls('contacts.create').length, 0);
  t.is((await send(contactPath)).status, 200, 'another workspace');
  for (const socket of sockets) socket.destroy();
  await eventually(async () => (await valueOf(gateway, 'roster_http_unread_bytes')) === 0);
  t.is((await send(contactPath, { headers: bearer(key.apiKey) })).status, 200);
});

test('closes a connection with more than 64 requests waiting for their turn', async (t) => {
  const gateway = await gatewayFor(t);
  const { port, stubs } = gateway;
  const gate = Promise.withResolvers<void>();
  stubs.answer('contacts.list', () => gate.promise);
  const { apiKey } = stubs.makeKey();
  const within = await sendOnly(t, port, list(apiKey).repeat(65));
  const beyond = (await sendOnly(t, port, list(apiKey).repeat(66))).resume();
  await once(beyond, 'close');
  t.is(await valueOf(gateway, 'roster_http_connections_ended_total'), 1);
  gate.resolve();
  let text = '';
  within
    .setEncoding('latin1')
    .on('data', (chunk: string) => (text += chunk))
    .resume();
  await eventually(() => text.split('HTTP/1.1 200 ').length === 66);
});

test('answers pipelined requests in order before the refusal of a malformed one after them', async (t) => {
  const { port, stubs } = await gatewayFor(t);
  const { apiKey } = stubs.makeKey();
  const gate = Promise.withResolvers<void>();
  stubs.answer('contacts.list', () => gate.promise);
  const socket = await sendOnly(t, port, `${list(apiKey).repeat(2)}nonsense\r\n\r\n`);
  await eventually(() => stubs.calls('contacts.list').length === 1);
  gate.resolve();
  let text = '';
  socket
    .setEncoding('latin1')
    .on('data', (chunk: string) => (text += chunk))
    .resume();
  await once(socket, 'close');
  t.deepEqual(
    [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status),
    ['200', '200', '400'],
  );
});

test('refuses connections over CONNECTIONS_MAX', async (t) => {
  const gateway = await gatewayFor(t, { CONNECTIONS_MAX: 2, CONNECTIONS_PER_ADDRESS_MAX: 2 });
  await sendOnly(t, gateway.port, 'GET');
  await sendOnly(t, gateway.port, 'GET');
  await eventually(async () => (await valueOf(gateway, 'roster_http_connections')) === 2);
  const refused = (await sendOnly(t, gateway.port, 'GET')).resume();
  await once(refused, 'close');
  t.is(await valueOf(gateway, 'roster_http_connections_ended_total'), 1);
});
