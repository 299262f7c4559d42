import { Fault } from '@roster/contracts';
import test from 'ava';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { UnreadResponses } from '../../../http/connections/unread-responses.js';
import type { HttpContext } from '../../../http/exchange.js';
import { send } from '../../../http/response/send.js';

const megabyte = 1024 * 1024;

function makeResponse(socket = new Socket(), method = 'GET'): ServerResponse {
  const request = new IncomingMessage(socket);
  request.method = method;
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  return response;
}

test('refuses a workspace at its share until one of its responses is read or its connection closed', async (t) => {
  const unread = new UnreadResponses();
  const [first, second] = [makeResponse(), makeResponse()];
  unread.add(first, 'a', 16 * megabyte);
  unread.checkShare('a');
  unread.add(second, 'a', 16 * megabyte);
  const fault = t.throws(() => unread.checkShare('a'), { instanceOf: Fault });
  t.is(fault.code, 'unavailable');
  t.is(fault.details.retryAfterSeconds, 1);
  unread.checkShare('b');
  first.destroy();
  await once(first, 'close');
  unread.checkShare('a');
  t.is(unread.bytes, 16 * megabyte);
});

test('beyond the maximum ends the oldest responses of the workspace with most', (t) => {
  const ended: string[] = [];
  const unread = new UnreadResponses((reason, workspace) => ended.push(`${reason} ${workspace}`));
  const small = makeResponse();
  unread.add(small, 'small', 20 * megabyte);
  const large = Array.from({ length: 5 }, () => makeResponse());
  for (const response of large) unread.add(response, 'large', 10 * megabyte);
  t.deepEqual(
    large.map(({ destroyed }) => destroyed),
    [true, false, false, false, false],
  );
  t.false(small.destroyed);
  t.deepEqual(ended, ['unread_bytes large']);
  t.is(unread.bytes, 60 * megabyte);
});

test('ends a response after 10 s and a second for each 16 KiB', (t) => {
  const ended: string[] = [];
  const unread = new UnreadResponses((reason) => ended.push(reason));
  const [short, long] = [makeResponse(), makeResponse()];
  unread.add(short, 'a', 0);
  unread.add(long, 'a', megabyte);
  const added = performance.now();
  unread.endExpired(added + 9_000);
  t.false(short.destroyed);
  unread.endExpired(added + 11_000);
  t.true(short.destroyed);
  unread.endExpired(added + 73_000);
  t.false(long.destroyed);
  unread.endExpired(added + 75_000);
  t.true(long.destroyed);
  t.deepEqual(ended, ['read_timeout', 'read_timeout']);
  t.is(unread.bytes, 0);
});

test('an unread response takes the memory of its body, and one to HEAD takes none', async (t) => {
  const bytesOf = async (method: string): Promise<number> => {
    const unread = new UnreadResponses();
    const stalled = new Writable({ write: () => undefined }) as Socket;
    const res = makeResponse(stalled, method);
    const state = { headers: {}, unread, caller: null };
    const ctx = { req: res.req, res, state } as unknown as HttpContext;
    send(ctx, 200, 'application/json', new Uint8Array(megabyte));
    t.true(stalled.writableLength > 0);
    return unread.bytes;
  };
  t.is(await bytesOf('GET'), megabyte);
  t.is(await bytesOf('HEAD'), 0);
});
