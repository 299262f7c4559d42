import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ClientGone, type HttpContext, waitForSlot } from '../../http/exchange.js';
import { bearer, gatewayFor, sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

/** Sends text, closes the client's direction of the connection, and reads everything that the gateway sends. */
function sendAndFinish(t: ExecutionContext, request: string): Promise<string> {
  const socket = connect({ port: gateway().port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  socket.end(request);
  return text(socket);
}

const requestOf = (method: string, path: string, headers = '', body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ` +
  `${bearer(gateway().stubs.makeKey().apiKey).authorization}\r\n${headers}\r\n${body}`;

test('answers a client that closes its direction of the connection after its request', async (t) => {
  t.regex(await sendAndFinish(t, requestOf('GET', '/v1/contacts')), /^HTTP\/1\.1 200 /);
  const body = '{"email":"ada@example.com"}';
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const answer = await sendAndFinish(t, requestOf('POST', '/v1/contacts', headers, body));
  t.regex(answer, /^HTTP\/1\.1 201 /);
});

test('answers all requests that were sent before, in their order', async (t) => {
  const paths = ['/v1/contacts', '/v1/nowhere', '/v1/users/me'];
  const answers = await sendAndFinish(t, paths.map((path) => requestOf('GET', path)).join(''));
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
  t.deepEqual(statuses, ['200', '404', '200']);
});

test('rejects a request whose body ends early', async (t) => {
  const headers = 'Content-Type: application/json\r\nContent-Length: 100\r\n';
  const answer = await sendAndFinish(t, requestOf('POST', '/v1/contacts', headers, '{'));
  t.notRegex(answer, /^HTTP\/1\.1 2/);
});

test('a request whose client leaves while it waits for a service changes nothing, and is counted', async (t) => {
  const { port, stubs, metrics } = await gatewayFor(t);
  const { apiKey } = stubs.makeKey();
  const body = '{"email":"ada@example.com"}';
  const request =
    `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const counted = async () => {
    const { values } = await metrics.getSingleMetric('roster_calls_dropped_total')!.get();
    return values.find(({ labels }) => labels['operation'] === 'contacts.create')?.value ?? 0;
  };
  await stubs.stop('contacts');
  const left = connect(port, '127.0.0.1');
  await once(left, 'connect');
  left.write(request, () => left.destroy());
  const reading = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => reading.destroy());
  reading.end(request);
  t.regex(await text(reading), /^HTTP\/1\.1 503 [^]*"code":"unavailable"/);
  await eventually(async () => (await counted()) === 2);
  stubs.start('contacts');
  const waited = connect(port, '127.0.0.1').on('error', () => {});
  t.teardown(() => waited.destroy());
  let answer = '';
  waited.on('data', (chunk: Buffer) => (answer += chunk.toString())).write(request);
  await eventually(() => answer.startsWith('HTTP/1.1 201'));
  t.is(stubs.calls('contacts.create').length, 1);
});

test('a request whose client leaves while it waits for a slot is dropped', async (t) => {
  const req = { socket: { destroyed: false, readableEnded: true } };
  const state = { admission: { acquire: async () => true }, hasSlot: false };
  const waiting = waitForSlot({ req, state } as unknown as HttpContext);
  await t.throwsAsync(waiting, { instanceOf: ClientGone });
  t.true(state.hasSlot, 'it returns the slot at its end');
});
