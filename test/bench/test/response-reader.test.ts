import test from 'ava';
import { ResponseReader, type Response } from '../load/response-reader.js';

const responses = [
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"city":"Köln"}',
  'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n3;x=y\r\n 1}\r\n0\r\nX-Trailer: 1\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Service Unavailable\r\ncontent-length:0\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n\r\n\r\n',
];
const expected: Response[] = [
  { status: 200, body: '{"city":"Köln"}' },
  { status: 201, body: '{"a": 1}' },
  { status: 503, body: '' },
  { status: 204, body: '' },
  { status: 404, body: '\r\n\r\n' },
];
const bytes = Buffer.from(responses.join(''));

/** Parses the bytes in pieces of this size, all in the same buffer, as from a socket. */
function readInPieces(size: number, keepBodies: boolean): Response[] {
  const read: Response[] = [];
  const reader = new ResponseReader((response) => read.push(response), { keepBodies });
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size)
    reader.read(memory.subarray(0, bytes.copy(memory, 0, at, at + size)));
  return read;
}

test('finds the same responses regardless of how their bytes are split', (t) => {
  for (let size = 1; size <= bytes.length; size += 1)
    t.deepEqual(readInPieces(size, true), expected, `in pieces of ${size}`);
});

test('skips bodies that are not kept', (t) => {
  const statuses = expected.map(({ status }) => status);
  for (const size of [1, 7, bytes.length]) {
    const read = readInPieces(size, false);
    t.deepEqual(
      read.map(({ status }) => status),
      statuses,
    );
    t.true(read.every(({ body }) => body === ''));
  }
});

test('rejects bytes that are not a response, and a response without a known end', (t) => {
  const read = (text: string) => new ResponseReader(() => undefined).read(Buffer.from(text));
  t.throws(() => read('SSH-2.0-OpenSSH\r\n\r\n'), { message: /not a response/ });
  t.throws(() => read('HTTP/1.1 200 OK\r\n\r\n{}'), { message: /without a length/ });
  t.throws(() => read('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'), {
    message: /without a size/,
  });
});
