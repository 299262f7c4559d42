import { eventually } from '@roster/testing';
import test from 'ava';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { problemIn } from '../problem-document.js';
import { contactId } from '../stub-results.js';
import { bearer, gatewayFor } from '../test-gateway.js';

const contactPath = `/v1/contacts/${contactId}`;

for (const warm of [false, true]) {
  test(`200 concurrent GETs reach the service in at most 8 requests, with the key ${warm ? 'cached' : 'not cached'}`, async (t) => {
    const { port, send, stubs } = await gatewayFor(t);
    const { apiKey } = stubs.makeKey();
    if (warm) await send('/v1/users/me', { headers: bearer(apiKey) });
    const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(port)));
    const answers = sockets.map(async (socket) => {
      socket.write(
        `GET ${contactPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nConnection: close\r\n\r\n`,
      );
      return text(socket);
    });
    for (const answer of await Promise.all(answers)) t.regex(answer, /^HTTP\/1.1 200 /);
    const batches = stubs.batches('contacts.get');
    t.is(
      batches.reduce((sum, calls) => sum + calls, 0),
      200,
    );
    t.log(`batches of ${batches.join(', ')}`);
    t.true(batches.length <= 8, `${batches.length} batches`);
    t.is(stubs.calls('keys.verify').length, 1);
  });
}

/** A connection that the gateway has accepted: libuv accepts one per turn, which would distribute the requests over turns. */
async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write('HEAD / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

test('retries requests to an unavailable service for up to 2 s, then answers 503', async (t) => {
  const { send, post, stubs } = await gatewayFor(t);
  t.is((await send(contactPath)).status, 200);
  await stubs.stop('contacts');
  const refused = await Promise.all([
    send(contactPath),
    post('/v1/contacts', { email: 'a@example.com' }),
  ]);
  for (const response of refused) {
    t.is(response.headers.get('retry-after'), '1');
    t.is((await problemIn(response)).code, 'unavailable');
  }
  t.is((await send('/v1/users/me')).status, 200);
  stubs.start('contacts');
  await stubs.bus.link.nats.flush();
  t.is((await send(contactPath)).status, 200);

  // Repeated if the machine is so slow that the service returns only after about 2 s.
  let unavailableMs: number;
  let waited: Response;
  do {
    await stubs.stop('contacts');
    const stopped = performance.now();
    const waiting = send(contactPath);
    t.is((await send('/v1/users/me')).status, 200, 'other services are available');
    stubs.start('contacts');
    await stubs.bus.link.nats.flush();
    unavailableMs = performance.now() - stopped;
    waited = await waiting;
  } while (waited.status === 503 && unavailableMs > 1500);
  t.is(waited.status, 200);
});

test('closes each connection with its response while the gateway is stopping', async (t) => {
  const { send, beginStop } = await gatewayFor(t);
  t.is((await send(contactPath)).headers.get('connection'), 'keep-alive');
  beginStop();
  for (let request = 0; request < 2; request += 1) {
    const response = await send(contactPath);
    t.is(response.status, 200);
    t.is(response.headers.get('connection'), 'close');
  }
});

test('answers 504 after the deadline, and recommends an Idempotency-Key for writes', async (t) => {
  const { send, post, stubs } = await gatewayFor(t, { REQUEST_TIMEOUT_MS: 200 });
  const gate = Promise.withResolvers<void>();
  // The key is cached from here on.
  await eventually(async () => (await send('/v1/users/me')).status === 200);
  stubs.answer('contacts.get', () => gate.promise);
  stubs.answer('contacts.create', () => gate.promise);
  t.is((await problemIn(await send(contactPath))).code, 'timeout');
  const problem = await problemIn(await post('/v1/contacts', { email: 'a@example.com' }));
  t.is(problem.code, 'timeout');
  t.regex(problem.detail, /Idempotency-Key/);
  gate.resolve();
});

test('answers 503 to requests of a workspace over its share of the slots, and completes those in flight', async (t) => {
  const { send, stubs, url, metrics } = await gatewayFor(t, { MAX_CONCURRENT: 8 });
  await send('/v1/users/me');
  const gate = Promise.withResolvers<void>();
  stubs.answer('contacts.get', () => gate.promise);
  const inFlight = Array.from({ length: 7 }, () => send(contactPath));
  await eventually(() => stubs.calls('contacts.get').length === 7);
  t.regex(await metrics.metrics(), /roster_http_requests_in_flight\{service="gateway"\} 7/);
  const refused = await send(contactPath);
  t.is(refused.headers.get('retry-after'), '1');
  t.is((await problemIn(refused)).code, 'unavailable');
  t.is((await fetch(`${url}/`)).status, 200);
  const other = bearer(stubs.makeKey().apiKey);
  t.is((await send('/v1/users/me', { headers: other })).status, 200);
  gate.resolve();
  for (const response of await Promise.all(inFlight)) t.is(response.status, 200);
  t.is((await send(contactPath)).status, 200);
});

test('requests whose key is looked up hold no slot, and use those of their workspace afterwards', async (t) => {
  const { send, stubs, metrics } = await gatewayFor(t, { MAX_CONCURRENT: 8 });
  t.is((await send(contactPath)).status, 200);
  const { apiKey, ...verified } = stubs.makeKey();
  const gate = Promise.withResolvers<void>();
  stubs.answer('keys.verify', () => gate.promise.then(() => verified));
  const inFlight = async (count: number) =>
    (await metrics.metrics()).includes(
      `roster_http_requests_in_flight{service="gateway"} ${count}\n`,
    );
  // More than the slots of requests without a known workspace.
  const waiting = Array.from({ length: 7 }, () => send(contactPath, { headers: bearer(apiKey) }));
  await eventually(() => stubs.calls('keys.verify').length === 2);
  t.true(await inFlight(0));
  t.is((await send(contactPath)).status, 200, 'another workspace');
  const answer = Promise.withResolvers<void>();
  stubs.answer('contacts.get', () => answer.promise);
  gate.resolve();
  await eventually(() => inFlight(7));
  answer.resolve();
  for (const response of await Promise.all(waiting)) t.is(response.status, 200);
  t.true(await inFlight(0));
});

test('counts requests by operation and status', async (t) => {
  const { send, url, metrics } = await gatewayFor(t);
  await send(contactPath);
  await send('/v1/contacts/x');
  await fetch(`${url}/nowhere`);
  const page = await metrics.metrics();
  t.regex(
    page,
    /roster_http_requests_total\{operation="contacts.get",status="200",service="gateway"\} 1/,
  );
  t.regex(
    page,
    /roster_http_requests_total\{operation="contacts.get",status="404",service="gateway"\} 1/,
  );
  t.regex(page, /roster_http_requests_total\{operation="none",status="404",service="gateway"\} 1/);
  t.regex(
    page,
    /roster_http_request_duration_seconds_count\{operation="contacts.get",service="gateway"\} 2/,
  );
});
