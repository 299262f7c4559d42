import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';
import test from 'ava';
import { RosterError, type FileContent } from '../index.js';
import { cut, json, problem, scripted, silence, type Reply } from './scripted-server.js';

const file = 'email,name\nada@example.com,Ada\n';
const running = { id: 'imp_1', status: 'running', done: 0, endedAt: null };
const ended = { ...running, status: 'completed', done: 1, endedAt: '2026-01-31T09:00:00.000Z' };
const accepted = json({ import: running }, 202);
const done = json({ import: ended });

async function* inPieces(): AsyncGenerator<string | Uint8Array> {
  yield file.slice(0, 5);
  await delay(1);
  yield new TextEncoder().encode(file.slice(5));
}

const sources: Record<string, () => FileContent> = {
  'a text': () => file,
  bytes: () => new TextEncoder().encode(file),
  'a blob': () => new Blob([file]),
  'a stream of the web': () => new Blob([file]).stream(),
  'a stream of Node': () => Readable.from(inPieces(), { objectMode: true }),
  'an iterable': inPieces,
};

for (const [name, source] of Object.entries(sources))
  test(`${name} is sent as a file, and awaited until the import has ended`, async (t) => {
    const { roster, received } = await scripted(t, [accepted, json({ import: running }), done]);
    const map = { 'E-mail: work': 'email', Note: '' };
    const result = await roster.imports.create(source(), { format: 'csv', map, dryRun: true });
    t.deepEqual(result, ended as never);
    t.is(received[0]!.body, file);
    t.is(received[0]!.headers['content-type'], 'text/csv');
    t.is(received[0]!.url, '/v1/imports?map=E-mail%3A+work%3Aemail&map=Note%3A&dryRun=true');
    t.deepEqual(
      received.slice(1).map(({ url }) => url),
      ['/v1/imports/imp_1', '/v1/imports/imp_1'],
    );
  });

test('an import is iterated over its changes, and accepted before', async (t) => {
  const half = json({ import: { ...running, done: 500 } });
  const { roster, received } = await scripted(t, [accepted, half, half, done]);
  const upload = roster.imports.create(file);
  t.is((await upload.accepted).status, 'running');
  t.is(received.length, 1);
  t.is(received[0]!.headers['content-type'], 'application/octet-stream');
  const progress: number[] = [];
  for await (const { done } of upload) progress.push(done);
  t.deepEqual(progress, [0, 500, 1]);
});

test('a text whose upload was cut is sent again, with the same key', async (t) => {
  const { roster, received } = await scripted(t, [cut, accepted, done]);
  await roster.imports.create(file);
  t.deepEqual([received[0]!.body, received[1]!.body], [file, file]);
  t.is(received[0]!.headers['idempotency-key'], received[1]!.headers['idempotency-key']);
});

const replayed = { 'idempotency-replayed': 'true' };
const uploading = { ...running, status: 'uploading' };
const failed = { ...ended, status: 'failed', reason: 'The upload ended early.' };

test('an upload that failed because it was cut is sent again with a new key, and not before it has failed', async (t) => {
  const { roster, received } = await scripted(t, [
    cut,
    json({ import: uploading }, 202, replayed),
    json({ import: failed }),
    accepted,
    done,
  ]);
  t.is((await roster.imports.create(file)).status, 'completed');
  const posts = received.filter(({ method }) => method === 'POST');
  const keys = posts.map(({ headers }) => headers['idempotency-key']);
  t.is(keys.length, 3);
  t.is(keys[0], keys[1]);
  t.not(keys[1], keys[2]);
});

test('an upload with a key of the caller is sent with no other, and what became of it is returned', async (t) => {
  const { roster, received } = await scripted(t, [json({ import: failed }, 202, replayed)]);
  const { status } = await roster.imports.create(file, {}, { idempotencyKey: 'mine' });
  t.is(status, 'failed');
  t.is(received.length, 1);
});

for (const [name, reply] of Object.entries({
  'a cut': cut,
  unavailable: problem(503, 'unavailable'),
  'rate limited': problem(429, 'rate_limited'),
}))
  test(`a stream is never sent twice, whatever happens: ${name}`, async (t) => {
    const { roster, received } = await scripted(t, [reply]);
    const upload = roster.imports.create(inPieces()).accepted;
    await t.throwsAsync(upload, { instanceOf: RosterError });
    t.is(received.length, 1);
  });

test('a source that fails ends the upload with its error, before the end of the file', async (t) => {
  let isComplete = false;
  const reply: Reply = (_response, request) => {
    request.on('end', () => (isComplete = true));
  };
  const { roster, received } = await scripted(t, [reply]);
  const broken = async function* () {
    yield file;
    await eventually(() => received.length === 1);
    throw new Error('the disk is gone');
  };
  await t.throwsAsync(roster.imports.create(broken()).accepted, { message: 'the disk is gone' });
  t.false(isComplete);
});

test('an upload that nobody receives any more is a timeout, one whose source is slow is none', async (t) => {
  const slow = async function* () {
    yield file;
    await delay(1600);
    yield file;
  };
  const { roster } = await scripted(t, [accepted, silence]);
  const options = { timeoutMs: 1000 };
  await roster.imports.create(slow(), {}, options).accepted;
  const error = await t.throwsAsync(roster.imports.create(slow(), {}, options).accepted, {
    instanceOf: RosterError,
  });
  t.true(error.is('timeout'));
});

test('an aborted upload throws the reason, and closes its source', async (t) => {
  const controller = new AbortController();
  let closed = false;
  const endless = async function* () {
    try {
      for (;;) {
        yield file;
        await delay(5);
      }
    } finally {
      closed = true;
    }
  };
  const { roster, received } = await scripted(t, [silence]);
  const upload = roster.imports.create(endless(), {}, { signal: controller.signal });
  await eventually(() => received.length === 1);
  controller.abort(new Error('Ctrl-C'));
  await t.throwsAsync(upload.accepted, { message: 'Ctrl-C' });
  await eventually(() => closed);
});

const begun: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'text/csv' });
  response.write('id,email\ncont_1,');
};

test('an export is requested when it is read, and given as bytes and as text', async (t) => {
  const reply: Reply = (response) => response.end('id,email\n', 'utf8');
  const { roster, received } = await scripted(t, [reply]);
  const download = roster.contacts.export({ format: 'csv', tag: ['vip'] });
  t.is(received.length, 0);
  t.is(await download.text(), 'id,email\n');
  let bytes = 0;
  for await (const chunk of download) bytes += chunk.length;
  t.is(bytes, 9);
  t.is(received[0]!.url, '/v1/exports/contacts?format=csv&tag=vip');
});

for (const [how, end] of Object.entries({
  reset: (response) => response.socket!.resetAndDestroy(),
  closed: (response) => response.socket!.end(),
} satisfies Record<string, Reply>))
  test(`an export whose connection is ${how} before its end throws after what was received`, async (t) => {
    const { roster, received } = await scripted(t, [
      (response, request) => {
        begun(response, request);
        setTimeout(() => end(response), 100);
      },
    ]);
    let text = '';
    const error = await t.throwsAsync(
      async () => {
        for await (const chunk of roster.contacts.export()) text += new TextDecoder().decode(chunk);
      },
      { instanceOf: RosterError },
    );
    t.true(error.is('unreachable'));
    t.regex(error.detail, /^The download after 16 bytes failed/);
    t.is(text, 'id,email\ncont_1,');
    t.is(received.length, 1);
  });

test('an export on whose connection nothing arrives is a timeout, however long the whole may take', async (t) => {
  const { roster } = await scripted(t, [
    (response, request) => {
      begun(response, request);
      setTimeout(() => response.write('a'), 1000);
      setTimeout(() => response.write('b'), 2000);
    },
  ]);
  let text = '';
  const error = await t.throwsAsync(
    async () => {
      for await (const chunk of roster.contacts.export({}, { timeoutMs: 1600 }))
        text += new TextDecoder().decode(chunk);
    },
    { instanceOf: RosterError },
  );
  t.true(error.is('timeout'));
  t.is(text, 'id,email\ncont_1,ab');
});

test('an export that is aborted, or read no further, ends its connection', async (t) => {
  let closed = 0;
  const reply: Reply = (response, request) => {
    response.socket!.once('close', () => (closed += 1));
    begun(response, request);
  };
  const { roster } = await scripted(t, [reply]);
  const controller = new AbortController();
  await t.throwsAsync(
    async () => {
      for await (const _ of roster.contacts.export({}, { signal: controller.signal }))
        controller.abort(new Error('Ctrl-C'));
    },
    { message: 'Ctrl-C' },
  );
  for await (const _ of roster.contacts.export()) break;
  await eventually(() => closed === 2);
  t.pass();
});

for (const [name, source] of Object.entries(sources))
  test(`${name} is previewed with the parameters of an import`, async (t) => {
    const { roster, received } = await scripted(t, [json({ preview: { rows: [] } })]);
    const preview = await roster.imports.preview(source(), { format: 'csv', map: { A: 'email' } });
    t.deepEqual(preview, { rows: [] } as never);
    t.is(received.length, 1);
    t.is(received[0]!.body, file);
    t.is(received[0]!.headers['content-type'], 'text/csv');
    t.is(received[0]!.url, '/v1/imports/preview?map=A%3Aemail');
  });

test('the beginning of a large file is sent for a preview, and a stream is read no further', async (t) => {
  const { roster, received } = await scripted(t, [json({ preview: {} })]);
  let given = 0;
  let isClosed = false;
  async function* endless() {
    try {
      for (; ; given += 1) yield 'x'.repeat(100_000);
    } finally {
      isClosed = true;
    }
  }
  await roster.imports.preview(endless());
  t.true(isClosed && given < 4);
  await roster.imports.preview('x'.repeat(1_000_000));
  t.deepEqual(
    received.map(({ body }) => body.length),
    [256 * 1024, 256 * 1024],
  );
});
