import { eventually } from '@roster/testing';
import test from 'ava';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import {
  FlowControl,
  writeEventStream,
} from '../../../graphql/subscriptions/write-event-stream.js';
import { UnreadResponses } from '../../../http/connections/unread-responses.js';

const result = 'event: next\ndata: {}\n\n';
const ping = ':\n\n';

/** An event stream to a client that reads until it would read the given text. */
function openStream(unread?: string) {
  const socket = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      if (unread === undefined || !String(chunk).includes(unread)) done();
    },
  }) as Socket;
  const request = new IncomingMessage(socket);
  Object.assign(request, { httpVersionMajor: 1, httpVersionMinor: 1 });
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  const ended: string[] = [];
  const responses = new UnreadResponses((reason, workspaceId) =>
    ended.push(`${reason} ${workspaceId}`),
  );
  const state = { returned: false, written: false };
  const write = (...chunks: string[]) => {
    async function* stream(): AsyncGenerator<string, void> {
      try {
        yield* chunks;
      } finally {
        state.returned = true;
      }
    }
    const options = {
      flow: new FlowControl(),
      responses,
      workspaceId: 'a',
      take: () => true,
      give: () => undefined,
      onExceeded: () => undefined,
    };
    void writeEventStream(stream(), response, options).then(() => (state.written = true));
  };
  return { response, responses, ended, state, write };
}

for (const [name, chunk] of Object.entries({ result, ping }))
  test(`ends the connection of a client that does not read a ${name} in time`, async (t) => {
    const { response, responses, ended, write } = openStream('HTTP/1.1');
    write(chunk, result);
    await eventually(() => response.writableLength > 0);
    const now = performance.now();
    responses.endExpired(now + 9_000);
    t.false(response.destroyed);
    responses.endExpired(now + 11_000);
    t.true(response.destroyed);
    t.deepEqual(ended, ['read_timeout a']);
    t.is(responses.bytes, 0, 'subscriptions count the memory themselves');
  });

test('does not end a stream whose chunks are read, however long it lasts, nor leave listeners behind', async (t) => {
  const { response, responses, ended, state, write } = openStream();
  const before = response.listenerCount('close');
  write(...Array.from({ length: 100 }, () => result));
  await eventually(() => state.written);
  responses.endExpired(performance.now() + 1e9);
  t.deepEqual(ended, []);
  t.true(state.returned);
  t.true(response.listenerCount('close') - before <= 2, String(response.listenerCount('close')));
});

test('ends the connection of a client that does not read the end of its stream', async (t) => {
  const { response, responses, ended, state, write } = openStream('0\r\n\r\n');
  write(ping);
  await eventually(() => state.written);
  responses.endExpired(performance.now() + 11_000);
  t.true(response.destroyed);
  t.deepEqual(ended, ['read_timeout a']);
});

test('a result after a dropped one does not carry its ID, so that a client resumes before the dropped event', (t) => {
  const flow = new FlowControl();
  flow.took('evt_dropped');
  t.is(flow.withId(result), `id: evt_dropped\n${result}`);
  flow.wrote();
  t.is(flow.withId(result), result);
});
