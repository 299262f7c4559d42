import test from 'ava';
import { connect } from 'node:net';
import type { RefusalCode } from '../../http/refusal.js';
import { methodsOf, restOperations } from '../../rest/rest-operations.js';
import { exchangeBytes } from '../exchange-bytes.js';
import { problemIn } from '../problem-document.js';
import { bearer, sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

const sendBytes = (bytes: string | Buffer) => exchangeBytes(gateway().port, bytes);

const malformed: Record<string, [string | Buffer, RefusalCode]> = {
  'bytes that are not HTTP': ['hello\r\n\r\n', 'bad_request'],
  'TLS on the plain port': [Buffer.from('160301020001', 'hex'), 'bad_request'],
  'an unknown method': ['BREW /v1/contacts HTTP/1.1\r\nHost: x\r\n\r\n', 'bad_request'],
  'another version of HTTP': ['GET / HTTP/7.3\r\nHost: x\r\n\r\n', 'bad_request'],
  'no Host': ['GET / HTTP/1.1\r\n\r\n', 'bad_request'],
  'two Hosts': ['GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n', 'bad_request'],
  'a Host with a space': ['GET / HTTP/1.1\r\nHost: x y\r\n\r\n', 'bad_request'],
  'a Host with a path': ['GET / HTTP/1.1\r\nHost: x/y\r\n\r\n', 'bad_request'],
  'a Host with a user': ['GET / HTTP/1.1\r\nHost: a@x\r\n\r\n', 'bad_request'],
  'a Host whose port is no number': ['GET / HTTP/1.1\r\nHost: x:y\r\n\r\n', 'bad_request'],
  'two Hosts in HTTP/1.0': ['GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n', 'bad_request'],
  'a WebSocket handshake without a key': [
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
    'bad_request',
  ],
  'a WebSocket handshake of another version': [
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 7\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    'bad_request',
  ],
  'a WebSocket handshake with two Hosts': [
    'GET /graphql HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'bad_request',
  ],
  'a header without a colon': ['GET / HTTP/1.1\r\nHost x\r\n\r\n', 'bad_request'],
  'a header with a NUL': ['GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n', 'bad_request'],
  'a negative length': ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 'bad_request'],
  'two lengths': [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'bad_request',
  ],
  'length and chunks together': [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'bad_request',
  ],
  'headers over 16 KiB': [
    `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    'request_header_fields_too_large',
  ],
  'a path over 16 KiB': [
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'request_header_fields_too_large',
  ],
  'a proxy request': [
    'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
    'method_not_allowed',
  ],
};

for (const [what, [bytes, code]] of Object.entries(malformed)) {
  test(`answers ${what} with a problem document and closes the connection`, async (t) => {
    const response = await sendBytes(bytes);
    t.is(response.headers.get('connection'), 'close');
    t.is((await problemIn(response)).code, code);
  });
}

test('a refused CONNECT names every method that a path has', async (t) => {
  const response = await sendBytes('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  const methods = new Set(['HEAD', ...restOperations.flatMap(methodsOf)]);
  t.deepEqual(response.headers.get('allow')!.split(', ').toSorted(), [...methods].toSorted());
});

test('answers a malformed chunk with a problem document, without calling the service', async (t) => {
  const { authorization } = bearer(gateway().stubs.makeKey().apiKey);
  const response = await sendBytes(
    `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
      'Transfer-Encoding: chunked\r\n\r\n5\r\n{"ema\r\nxyz\r\n',
  );
  t.is((await problemIn(response)).code, 'bad_request');
  t.is(gateway().stubs.calls('contacts.create').length, 0);
});

const pipelined: Record<string, [string, number]> = {
  'bytes that are not HTTP': ['hello\r\n\r\n', 400],
  'a request without a Host': ['GET / HTTP/1.1\r\n\r\n', 400],
  'a broken chunk': [
    'POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: {key}\r\nContent-Type: application/json\r\n' +
      'Transfer-Encoding: chunked\r\n\r\nxyz\r\n',
    400,
  ],
  CONNECT: ['CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  'a WebSocket handshake without a key': [
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    400,
  ],
};

for (const [what, [bytes, status]] of Object.entries(pipelined)) {
  test(`answers ${what} in a pipeline after the requests before it`, async (t) => {
    const socket = connect(gateway().port, '127.0.0.1');
    const { authorization } = bearer(gateway().stubs.makeKey().apiKey);
    const create = (body: string) =>
      `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const first = create('{"email":"first@example.com"}');
    socket.write(
      first + create('{"email":"second@example.com"}') + bytes.replace('{key}', authorization),
    );
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    t.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, given]) => Number(given)),
      [201, 201, status],
    );
  });
}

const unusual: Record<string, [string, number]> = {
  'an absolute target': ['GET http://example.com/v1/contacts HTTP/1.1', 401],
  'an absolute target that is not a URL': ['GET http://[::1/v1/contacts HTTP/1.1', 404],
  'the target *': ['OPTIONS * HTTP/1.1', 404],
  'a target with raw bytes above ASCII': ['GET /v1/contacts/\u00ff\u00fe HTTP/1.1', 400],
  'an unmet expectation': ['GET / HTTP/1.1\r\nExpect: a-miracle', 200],
  'an upgrade': ['GET / HTTP/1.1\r\nConnection: upgrade, close\r\nUpgrade: websocket', 200],
};

for (const [what, [head, status]] of Object.entries(unusual)) {
  test(`answers ${what} with ${status}`, async (t) => {
    const response = await sendBytes(
      Buffer.from(`${head}\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1'),
    );
    t.is(response.status, status);
    if (status >= 400) await problemIn(response);
  });
}

test('a connection stays usable after a body that was rejected unread', async (t) => {
  const socket = connect(gateway().port, '127.0.0.1');
  const { authorization } = bearer(gateway().stubs.makeKey().apiKey);
  const size = 2 * 1024 * 1024;
  const head = `Host: x\r\nAuthorization: ${authorization}\r\n`;
  socket.write(
    `POST /v1/contacts HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
  );
  socket.write(' '.repeat(size));
  socket.write(`GET /v1/contacts HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  t.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['413', '200'],
  );
});

test('handles requests for other upgrades as ordinary requests', async (t) => {
  const socket = connect(gateway().port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write('GET /problems HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
  const response = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  t.regex(response.toString(), /^HTTP\/1\.1 200 /);
});
