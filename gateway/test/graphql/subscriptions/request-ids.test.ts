import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

async function upgrade(
  t: ExecutionContext,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const socket = new WebSocket(
    `${gateway().url.replace('http', 'ws')}/graphql`,
    'graphql-transport-ws',
    { headers },
  );
  t.teardown(() => socket.terminate());
  const [response] = (await once(socket, 'upgrade')) as [IncomingMessage];
  return response;
}

test('the response that opens a WebSocket carries the request ID that was sent, or a new one', async (t) => {
  const sent = await upgrade(t, { 'x-request-id': 'from-the-client' });
  t.is(sent.statusCode, 101);
  t.is(sent.headers['x-request-id'], 'from-the-client');
  const generated = await upgrade(t, {});
  t.regex(String(generated.headers['x-request-id']), /^req_[0-9a-f]{32}$/);
  const invalid = await upgrade(t, { 'x-request-id': 'with a space' });
  t.regex(String(invalid.headers['x-request-id']), /^req_/);
});
