import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PipelinedRequests } from '../../../http/connections/pipelined-requests.js';

/** More than the kernel takes for a client that does not read. */
const body = Buffer.alloc(16 * 1024 * 1024);
const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** A client that has not read the response to its first request. */
async function unreadConnection(t: ExecutionContext) {
  let refused = 0;
  const answered: string[] = [];
  const pipelined = new PipelinedRequests(() => (refused += 1));
  const server = createServer((incoming, response) => {
    const answer = () => {
      answered.push(incoming.url!);
      response.end(body);
    };
    if (response.socket) answer();
    else pipelined.wait(response, answer);
  });
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    .on('error', () => {})
    .pause();
  t.teardown(() => client.destroy());
  const [socket] = (await once(server, 'connection')) as [Socket];
  client.write(request);
  await eventually(() => socket.writableLength > 0);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return { client, closed, pipelined, answered, refusals: () => refused };
}

test('counts the waiting requests of a connection until it is closed, and answers none of them afterwards', async (t) => {
  const { client, closed, pipelined, answered } = await unreadConnection(t);
  client.write(request.repeat(3));
  await eventually(() => pipelined.count === 3);
  client.resetAndDestroy();
  await closed;
  t.is(pipelined.count, 0);
  t.deepEqual(answered, ['/']);
});

test('counts no request of a connection that was closed because too many waited', async (t) => {
  const { client, closed, pipelined, answered, refusals } = await unreadConnection(t);
  client.write(request.repeat(65));
  await closed;
  t.is(refusals(), 1);
  t.is(pipelined.count, 0);
  t.deepEqual(answered, ['/']);
});
