import { Fault } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { discardRest, readBody, receiveBody } from '../../http/body/read-body.js';
import { BodyStalled, readLongBody } from '../../http/body/read-long-body.js';
import { ClientGone, type HttpContext } from '../../http/exchange.js';

const bytesMax = 100;

test('throws ClientGone if the client disconnects while the body is received', async (t) => {
  const [request, socket] = await receiveHalfOfBody(t);
  const reading = readBody(request, bytesMax);
  socket.destroy();
  await t.throwsAsync(reading, { instanceOf: ClientGone });
});

test('throws ClientGone if the client disconnected before the body is read', async (t) => {
  const [request, socket] = await receiveHalfOfBody(t);
  socket.destroy();
  await new Promise((resolve) => request.once('close', resolve));
  await t.throwsAsync(readBody(request, bytesMax), { instanceOf: ClientGone });
});

test('a request whose body arrives with its headers keeps its slot, and one whose body follows does not', async (t) => {
  const slotOf = async (sent: string) => {
    const received = Promise.withResolvers<string>();
    const socket = await connectTo(t, (req) => {
      const reserve = () => {
        throw new Error('returns its slot');
      };
      const ctx = { req, state: { caller: {}, admission: { bodies: { reserve } } } };
      receiveBody(ctx as unknown as HttpContext, bytesMax).then(
        (body) => received.resolve(body.toString()),
        ({ message }: Error) => received.resolve(message),
      );
    });
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n${sent}`);
    return received.promise;
  };
  t.is(await slotOf('0123456789'), '0123456789');
  t.is(await slotOf('01234'), 'returns its slot');
});

test('rejects a chunked body over the limit, and the connection stays usable', async (t) => {
  const socket = await connectTo(t, async (request, response) => {
    const body = readBody(request, bytesMax);
    const status = await body.then(
      () => 200,
      (error: unknown) => (error instanceof Fault ? 413 : 500),
    );
    response.writeHead(status).end();
    discardRest(request);
  });
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n';
  const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
  socket.write(`${head}\r\n${chunk(bytesMax)}${chunk(1)}${chunk(200_000)}0\r\n\r\n`);
  socket.write(`${head}Connection: close\r\n\r\n${chunk(bytesMax)}0\r\n\r\n`);
  t.deepEqual((await text(socket)).match(/(?<=HTTP\/1\.1 )\d+/g), ['413', '200']);
});

for (const [title, slow] of Object.entries({
  'of which nothing arrives for too long': { idleMs: 1, waitingMs: 60_000 },
  'that is sent too slowly as a whole': { idleMs: 60_000, waitingMs: 0 },
}))
  test(`a long body ${title} stalls, and one in time does not`, async (t) => {
    const limits = { bytesMax, bytesPerSecondMin: 1_000_000 };
    const [request, socket] = await receiveHalfOfBody(t);
    const body = readLongBody(request, { ...limits, ...slow }, new WeakSet());
    const received = (async () => {
      for await (const part of body) {
        t.is(part.toString(), 'xxxxx');
        // The rest is sent when the limits have passed.
        setTimeout(() => socket.write('xxxxx'), 20);
      }
    })();
    await t.throwsAsync(received, { instanceOf: BodyStalled });

    const [other, otherSocket] = await receiveHalfOfBody(t);
    otherSocket.write('xxxxx');
    const inTime = { ...limits, idleMs: 60_000, waitingMs: 60_000 };
    let text = '';
    for await (const part of readLongBody(other, inTime, new WeakSet())) text += part.toString();
    t.is(text, 'x'.repeat(10));
  });

/** A request of which half of the body has been sent, and the connection of its client. */
async function receiveHalfOfBody(t: ExecutionContext): Promise<[IncomingMessage, Socket]> {
  const received = Promise.withResolvers<IncomingMessage>();
  const socket = await connectTo(t, (request) => received.resolve(request));
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nxxxxx');
  return [await received.promise, socket];
}

async function connectTo(
  t: ExecutionContext,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Socket> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  // A server that gives a body up resets the connection on which the rest arrives.
  socket.on('error', () => {});
  return socket;
}
