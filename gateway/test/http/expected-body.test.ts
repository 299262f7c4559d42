import test from 'ava';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { bearer, sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

const body = '{"email":"ada@example.com"}';

/** Sends the body only if it is asked for. */
async function sendWhenAsked(headers: Record<string, string | number>, path = '/v1/contacts') {
  const { port, stubs } = gateway();
  const sent: ClientRequest = request({
    ...{ port, path, method: 'POST', host: '127.0.0.1' },
    headers: {
      ...{ 'content-type': 'application/json', 'content-length': body.length },
      ...{ expect: '100-continue', ...bearer(stubs.makeKey().apiKey) },
      ...headers,
    },
  });
  sent.flushHeaders();
  let wasAsked = false;
  sent.on('continue', () => {
    wasAsked = true;
    sent.end(body);
  });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await text(response);
  sent.destroy();
  return { status: response.statusCode, wasAsked, connection: response.headers.connection };
}

test('a request that waits for 100 is asked for its body when its headers suffice', async (t) => {
  t.like(await sendWhenAsked({}), { status: 201, wasAsked: true });
  t.like(await sendWhenAsked({ 'content-type': 'text/csv' }, '/v1/imports'), { wasAsked: true });
});

test('a request whose headers do not suffice is refused before its body is sent', async (t) => {
  for (const [status, headers, path] of [
    [401, { authorization: 'Bearer rsk_wrong' }],
    [404, {}, '/v1/nowhere'],
    [415, { 'content-type': 'text/plain' }],
    [413, { 'content-length': 100_000_000 }],
    [413, { 'content-length': 2 ** 40, 'content-type': 'text/csv' }, '/v1/imports'],
    [422, { 'content-type': 'text/csv' }, '/v1/imports?nowhere=1'],
    [422, { 'idempotency-key': 'é' }],
  ] as const)
    t.deepEqual(await sendWhenAsked(headers, path), {
      status,
      wasAsked: false,
      connection: 'close',
    });
});
