import type { ExecutionContext } from 'ava';
import { connect, type Socket } from 'node:net';
import type { TestKey } from '../../stub-services.js';
import type { TestGateway } from '../../test-gateway.js';
import { eventsDocument } from './follow-events.js';

/** A subscription over SSE of which only the head of the response is read. */
export async function stalledSubscriber(
  t: ExecutionContext,
  { port }: TestGateway,
  { apiKey }: TestKey,
  query = eventsDocument,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  const body = JSON.stringify({ query });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const head = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  if (!head.toString().startsWith('HTTP/1.1 200')) throw new Error(head.toString());
  socket.pause();
  return socket;
}
