import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Admission } from '../../http/admission/admission.js';
import { contactId } from '../stub-results.js';
import { bearer, gatewayFor } from '../test-gateway.js';

const body = '{"email":"ada@example.com"}';

/** The headers of a request whose body is not sent with them. */
async function announce(
  t: ExecutionContext,
  port: number,
  authorization: string,
  bytes: number,
  path = '/v1/contacts',
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${bytes}\r\nConnection: close\r\n\r\n`,
  );
  await once(socket, 'connect');
  return socket;
}

test('requests whose bodies are in transit hold no slot, and are answered once the bodies are complete', async (t) => {
  const { port, send, stubs, metrics } = await gatewayFor(t, { MAX_CONCURRENT: 4 });
  const { authorization } = bearer(stubs.makeKey().apiKey);
  const sockets = await Promise.all(
    Array.from({ length: 12 }, () => announce(t, port, authorization, body.length)),
  );
  const read = async () => metrics.metrics();
  await eventually(async () =>
    /roster_http_bodies_in_transit\{service="gateway"\} 12/.test(await read()),
  );
  t.regex(await read(), /roster_http_requests_in_flight\{service="gateway"\} 0/);
  t.is((await send(`/v1/contacts/${contactId}`)).status, 200);
  // One at a time: together, those without a slot could be refused after 50 ms.
  for (const socket of sockets) {
    socket.write(body);
    t.regex(await text(socket), /^HTTP\/1.1 201 /);
  }
  t.is(stubs.calls('contacts.create').length, 12);
  t.regex(await read(), /roster_http_bodies_in_transit\{service="gateway"\} 0/);
});

test('the bodies of one workspace take at most half of the memory for bodies', async (t) => {
  const { port, stubs, post } = await gatewayFor(t);
  const megabyte = 1024 * 1024;
  const { authorization } = bearer(stubs.makeKey().apiKey);
  const sockets = await Promise.all(
    Array.from({ length: 40 }, () =>
      announce(t, port, authorization, megabyte, '/v1/contacts/batch'),
    ),
  );
  const refused: string[] = [];
  for (const socket of sockets)
    text(socket).then(
      (answer) => refused.push(answer),
      () => undefined,
    );
  await eventually(() => refused.length === 9);
  for (const answer of refused) t.regex(answer, /^HTTP\/1.1 503 /);
  t.is(stubs.calls('contacts.batch').length, 0);
  // Another workspace, with a body too large to arrive with its headers.
  const padded = `{"operations":[{"action":"upsert","email":"ada@example.com"}]${' '.repeat(megabyte / 2)}}`;
  const other = stubs.makeKey();
  t.is((await post('/v1/contacts/batch', padded, bearer(other.apiKey))).status, 200);
});

test('a client that disconnects during its body leaves nothing reserved', async (t) => {
  const { port, stubs, metrics } = await gatewayFor(t, { MAX_CONCURRENT: 1 });
  const { authorization } = bearer(stubs.makeKey().apiKey);
  const socket = await announce(t, port, authorization, body.length);
  const inTransit = async (count: number) =>
    (await metrics.metrics()).includes(`roster_http_bodies_in_transit{service="gateway"} ${count}`);
  await eventually(() => inTransit(1));
  socket.destroy();
  await eventually(() => inTransit(0));
  t.is(stubs.calls('contacts.create').length, 0);
});

test('reserves memory for bodies up to the maximum of a workspace, and of all together', (t) => {
  const budget = new Admission(1).bodies;
  const megabytes = 15 * 1024 * 1024;
  const first = budget.reserve('a', megabytes);
  budget.reserve('a', megabytes);
  t.throws(() => budget.reserve('a', megabytes), { message: /in transit/ });
  budget.reserve('b', megabytes);
  budget.reserve('b', megabytes);
  budget.reserve('c', megabytes / 8);
  t.throws(() => budget.reserve('c', megabytes), { message: /in transit/ });
  first();
  budget.reserve('c', megabytes / 2);
  t.is(budget.count, 5);
});
