import { eventually, shortOrLong } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import type { ImportRow } from '@roster/contracts';
import type { RefusalCode } from '../../../http/refusal.js';
import { FormFile } from '../../../rest/imports/form-file.js';
import { problemIn } from '../../problem-document.js';
import { gatewayFor, sharedGateway, type TestGateway } from '../../test-gateway.js';
import { collect, inParts } from './read-rows.js';
import { appended, appendedRows, csvFile, finished } from './stub-imports.js';

const path = '/v1/imports';
const csv = 'email\na@example.com\n';
const rows: ImportRow[] = [{ row: 2, contact: { email: 'a@example.com' } }];
const ndjson = '{"email":"a@example.com"}\n';
const lines: ImportRow[] = [{ row: 1, contact: { email: 'a@example.com' } }];

const send = (
  gateway: TestGateway,
  type: string,
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  query = '',
) =>
  gateway.send(path + query, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
    duplex: 'half',
  });

const formType = 'multipart/form-data; boundary=b';
const named = 'Content-Disposition: form-data; name="file"; filename="contacts.csv"';
const part = (content: string, headers = named) => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const formOf = (...parts: string[]) => `${parts.join('')}--b--\r\n`;

test('a form with a file is an import of it, whatever media type the client guesses', async (t) => {
  const files: [string, string, ImportRow[]][] = [
    ['text/csv', csv, rows],
    ['application/x-ndjson', ndjson, lines],
    ['application/octet-stream', csv, rows],
    ['application/vnd.ms-excel', `\uFEFF${csv}`, rows],
    ['text/plain; charset=UTF-8', `\uFEFF${ndjson}`, lines],
    ['', ndjson, lines],
  ];
  for (const [type, content, expected] of files) {
    const gateway = await gatewayFor(t);
    const form = new FormData();
    form.append('file', new Blob([content], { type }), 'contacts.csv');
    const { headers, body } = new Response(form);
    const response = await send(gateway, headers.get('content-type')!, body!, '?mode=skip');
    t.is(response.status, 202, type);
    t.deepEqual(appendedRows(gateway.stubs), expected, type);
    t.like(gateway.stubs.calls('imports.create')[0]!.input, {
      ...{ mode: 'skip', format: expected === rows ? 'csv' : 'ndjson' },
    });
  }
});

test('application/octet-stream is NDJSON if it begins with a brace, otherwise CSV', async (t) => {
  for (const [content, expected] of [
    [csv, rows],
    [ndjson, lines],
    [`\uFEFF${ndjson}`, lines],
    [`  ${ndjson}`, lines],
  ] as const) {
    const gateway = await gatewayFor(t);
    t.is((await send(gateway, 'application/octet-stream', content)).status, 202);
    t.deepEqual(appendedRows(gateway.stubs), expected);
  }
});

test('a form is read as it arrives, and columns are mapped by the query', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs } = gateway;
  const body = async function* () {
    yield Buffer.from(`--b\r\n${named}\r\n\r\n`);
    yield* csvFile(1_500);
    await eventually(() => appended(stubs).length > 0);
    yield Buffer.from('\r\n--b--\r\n');
  };
  t.is((await send(gateway, formType, body(), '?map=note:name')).status, 202);
  t.like(finished(stubs)[0], { chunks: 3, total: 1_500 });
});

const gateway = sharedGateway(test);

test('a form that is no file is refused with the reason, and creates no import', async (t) => {
  const other = part('email', 'Content-Disposition: form-data; name="map"');
  const refused: [RefusalCode, string, string | RegExp, string?][] = [
    ['invalid', '', 'The form ends before its last boundary.'],
    ['invalid', 'email\na@example.com\n', 'The form ends before its last boundary.'],
    ['invalid', '--b--\r\n', 'The form contains no file.'],
    ['invalid', formOf(other), /^\/map is not a file/],
    ['invalid', formOf(other, part(csv)), /^\/map is not a file/],
    ['invalid', formOf(part(csv, 'X: y')), /is not a file/],
    ['invalid', formOf(part('')), /^The file is empty/],
    ['invalid', formOf(part('name\nAda\n')), /map=Column:email/],
    ['invalid', `${'x'.repeat(70_000)}\r\n${formOf(part(csv))}`, /more than 65536 bytes/],
    ['invalid', `--b\r\nX: ${'y'.repeat(200_000)}`, /more than 65536 bytes/],
    ['invalid', `--b\r\n${'X: y\r\n'.repeat(20_000)}`, /more than 65536 bytes/],
    [
      'unsupported_media_type',
      formOf(part(csv, `${named}\r\nContent-Transfer-Encoding: base64`)),
      /Encoding/,
    ],
    [
      'unsupported_media_type',
      formOf(part(csv, `${named}\r\nContent-Type: text/csv; charset=latin1`)),
      /UTF-8/,
    ],
    ['unsupported_media_type', formOf(part(csv)), /boundary/, 'multipart/form-data'],
    ['unsupported_media_type', formOf(part(csv)), /boundary/, 'multipart/form-data; boundary='],
    [
      'unsupported_media_type',
      formOf(part(csv)),
      /multipart\/form-data/,
      'multipart/mixed; boundary=b',
    ],
    ['invalid', formOf(part(ndjson)), /NDJSON/],
  ];
  for (const [code, body, detail, type = formType] of refused) {
    const query = body.includes(ndjson) ? '?delimiter=;' : '';
    const problem = await problemIn(await send(gateway(), type, body || '\r\n', query));
    t.is(problem.code, code, body.slice(0, 200));
    if (typeof detail === 'string') t.is(problem.detail, detail);
    else t.regex(problem.detail, detail);
  }
  t.is(gateway().stubs.callCount, 0);
});

test('a form that goes on after its file, or ends within it, fails the import that it began', async (t) => {
  const large = Buffer.concat(await collect(csvFile(3_000))).toString();
  for (const [body, reason] of [
    [formOf(part(large), part(csv)), 'The form contains several files. Send one of them.'],
    [formOf(part(large), part('x', 'Content-Disposition: form-data; name="mode"')), /./],
    [part(large).trimEnd(), 'The form ends before its last boundary.'],
    [`${formOf(part(large))}${'x'.repeat(200_000)}`, /more than 65536 bytes/],
  ] as const) {
    const own = await gatewayFor(t);
    const problem = await problemIn(await send(own, formType, body));
    t.is(problem.code, 'invalid');
    if (typeof reason === 'string') t.is(problem.detail, reason);
    else t.regex(problem.detail, reason);
    for (const { failure } of finished(own.stubs)) t.truthy(failure);
    t.is(finished(own.stubs).length, own.stubs.calls('imports.create').length);
  }
});

test('a form whose client disconnects within its file fails the import with the reason', async (t) => {
  const own = await gatewayFor(t);
  const aborted = new AbortController();
  const body = async function* () {
    yield Buffer.from(`--b\r\n${named}\r\n\r\n`);
    yield* csvFile(2_000);
    await eventually(() => appended(own.stubs).length > 0);
    aborted.abort();
    await new Promise(() => {});
  };
  const { signal } = aborted;
  const headers = { 'content-type': formType };
  const init = { method: 'POST', headers, body: body(), duplex: 'half', signal } as const;
  await t.throwsAsync(own.send(path, init));
  await eventually(() => finished(own.stubs).length > 0);
  t.like(finished(own.stubs)[0], {
    failure: 'The connection ended before the whole file was received.',
  });
});

test('the bytes of a file are the same however the form arrives', async (t) => {
  const content = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom('\r\n', '--b', '\r\n--', '\r\n--bc', '-').map((text) => Buffer.from(text)),
    ),
    { maxLength: 20 },
  );
  const property = fc.asyncProperty(
    content
      .map((parts) => Buffer.concat(parts))
      .filter((bytes) => !`\r\n${bytes.toString('latin1')}`.includes('\r\n--b')),
    fc.array(fc.nat(600), { maxLength: 12 }),
    async (bytes, ends) => {
      const form = Buffer.concat([
        Buffer.from(`--b\r\n${named}\r\nContent-Type: text/csv\r\n\r\n`),
        bytes,
        Buffer.from('\r\n--b--\r\n'),
      ]);
      const file = new FormFile('b');
      const read = await collect(file.read(inParts(form, ends) as AsyncGenerator<Buffer>));
      t.deepEqual(Buffer.concat(read), bytes);
      t.is(file.type, 'text/csv');
    },
  );
  await fc.assert(property, { numRuns: shortOrLong(100, 500) });
});
