import test, { type ExecutionContext } from 'ava';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { bearer, sharedGateway } from '../test-gateway.js';

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
