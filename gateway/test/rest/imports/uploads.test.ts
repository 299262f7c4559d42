import { Json } from '@roster/bus';
import { Fault } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { RefusalCode } from '../../../http/refusal.js';
import { problemIn } from '../../problem-document.js';
import { importId, stubBytes } from '../../stub-results.js';
import { bearer, gatewayFor, type TestGateway } from '../../test-gateway.js';
import { appended, appendedRows, csvFile, finished } from './stub-imports.js';

const path = '/v1/imports';
const csv = { 'content-type': 'text/csv' };

const upload = (
  { send }: TestGateway,
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  query = '',
  headers: Record<string, string> = {},
) =>
  send(path + query, {
    method: 'POST',
    headers: { ...csv, ...headers },
    body,
    duplex: 'half',
  });

test('stores all rows in order, finishes the upload, and answers the import with its Location', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs } = gateway;
  const response = await upload(gateway, csvFile(1_201), '?mode=skip&dryRun=true&events=summary');
  t.is(response.status, 202);
  t.is(response.headers.get('location'), `/v1/imports/${importId}`);
  t.is(await response.text(), stubBytes('imports.finish'));
  t.like(stubs.calls('imports.create')[0]!.input, {
    ...{ format: 'csv', mode: 'skip', dryRun: true, events: 'summary' },
  });
  t.deepEqual(
    appended(stubs)
      .map(({ ordinal }) => ordinal)
      .toSorted((a, b) => a - b),
    [0, 1, 2],
  );
  t.deepEqual(
    appendedRows(stubs)
      .map(({ row }) => row)
      .toSorted((a, b) => a - b),
    Array.from({ length: 1_201 }, (_, n) => n + 2),
  );
  t.deepEqual(finished(stubs), [{ importId, chunks: 3, total: 1_201 }]);
});

test('NDJSON is uploaded as application/x-ndjson', async (t) => {
  const gateway = await gatewayFor(t);
  const type = { 'content-type': 'application/x-ndjson; charset=utf8' };
  const response = await upload(gateway, '{"email":"a@example.com"}\nx', '', type);
  t.is(response.status, 202);
  t.deepEqual(appendedRows(gateway.stubs), [
    { row: 1, contact: { email: 'a@example.com' } },
    { row: 2, problem: { code: 'invalid_json', pointer: '', message: 'is not valid JSON' } },
  ]);
});

test('columns are mapped by the query', async (t) => {
  const gateway = await gatewayFor(t);
  const query = '?map[E-mail]=email&map[Home%20town]=properties.city&map[Note]=';
  const response = await upload(gateway, 'E-mail,Home town,Note\na@example.com,London,x\n', query);
  t.is(response.status, 202);
  t.deepEqual(appendedRows(gateway.stubs), [
    { row: 2, contact: { email: 'a@example.com', properties: { city: 'London' } } },
  ]);
});

test('a file without rows is an import without rows', async (t) => {
  const gateway = await gatewayFor(t);
  t.is((await upload(gateway, 'email\n')).status, 202);
  t.deepEqual(finished(gateway.stubs), [{ importId, chunks: 0, total: 0 }]);
});

test('a request that is refused for its headers, its query or its columns creates no import', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs, send } = gateway;
  const refused = async (response: Promise<Response>, code: RefusalCode) =>
    t.is((await problemIn(await response)).code, code);
  const file = 'email\na@example.com\n';
  await refused(
    upload(gateway, file, '', { 'content-type': 'text/plain' }),
    'unsupported_media_type',
  );
  await refused(
    upload(gateway, file, '', { 'content-type': 'text/csv; charset=latin1' }),
    'unsupported_media_type',
  );
  await refused(
    upload(gateway, file, '', { 'content-encoding': 'gzip' }),
    'unsupported_media_type',
  );
  await refused(upload(gateway, file, '?mode=replace'), 'invalid');
  await refused(upload(gateway, file, '?fileName=a%0D%0Ab.csv'), 'invalid');
  await refused(upload(gateway, file, '?dryRun=1'), 'invalid');
  await refused(upload(gateway, file, '?format=csv'), 'invalid');
  await refused(upload(gateway, file, '?map[x]=name'), 'invalid');
  await refused(upload(gateway, 'name\nAda\n'), 'invalid');
  await refused(send(path, { method: 'POST', headers: csv }), 'invalid');
  const ndjson = { 'content-type': 'application/x-ndjson' };
  await refused(upload(gateway, '{}\n', '?map[x]=name', ndjson), 'invalid');
  await refused(upload(gateway, '{}\n', '?delimiter=;', ndjson), 'invalid');
  await refused(upload(gateway, file, '?delimiter=:'), 'invalid');
  const { apiKey } = stubs.makeKey({ scopes: ['user'] });
  await refused(upload(gateway, file, '', bearer(apiKey)), 'insufficient_scope');
  t.is(stubs.callCount, 0);
});

test('an import whose rows cannot all be stored fails with the reason', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs } = gateway;
  stubs.answer('imports.append', () => new Fault('limit_reached', 'Too many rows.'));
  const problem = await problemIn(await upload(gateway, csvFile(600)));
  t.like(problem, { code: 'limit_reached', detail: 'Too many rows.' });
  t.like(finished(stubs)[0], { failure: problem.detail });
});

test('columns are separated by the delimiter of the query', async (t) => {
  const gateway = await gatewayFor(t);
  const query = '?delimiter=%09&map=a;b:email';
  t.is((await upload(gateway, 'a;b\tname\na@example.com\tA\n', query)).status, 202);
  t.deepEqual(appendedRows(gateway.stubs), [
    { row: 2, contact: { email: 'a@example.com', name: 'A' } },
  ]);
});

test('an import whose client disconnects fails with the reason', async (t) => {
  const gateway = await gatewayFor(t);
  const aborted = new AbortController();
  const { stubs } = gateway;
  const body = async function* () {
    yield* csvFile(2_000);
    await eventually(() => appended(stubs).length > 0);
    aborted.abort();
    await new Promise(() => {});
  };
  const sent = gateway.send(path, {
    method: 'POST',
    headers: csv,
    body: body(),
    duplex: 'half',
    signal: aborted.signal,
  });
  await t.throwsAsync(sent);
  await eventually(() => finished(stubs).length > 0);
  t.like(finished(stubs)[0], {
    failure: 'The connection ended before the whole file was received.',
  });
});

test('a chunk that is refused for a moment is stored with the same ordinal', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs } = gateway;
  const codes = ['unavailable', 'timeout'] as const;
  let refusals = 0;
  stubs.answer('imports.append', ({ input }) => {
    const code = (input as { ordinal: number }).ordinal === 1 ? codes[refusals++] : undefined;
    return code && new Fault(code, 'Later.');
  });
  t.is((await upload(gateway, csvFile(1_500))).status, 202);
  t.deepEqual(
    appended(stubs)
      .map(({ ordinal }) => ordinal)
      .toSorted((a, b) => a - b),
    [0, 1, 1, 1, 2],
  );
  t.deepEqual(finished(stubs), [{ importId, chunks: 3, total: 1_500 }]);
});

test('an upload whose import was cancelled is answered conflict', async (t) => {
  const gateway = await gatewayFor(t);
  gateway.stubs.answer('imports.append', () => new Fault('conflict', 'The import was cancelled.'));
  const problem = await problemIn(await upload(gateway, csvFile(3_000)));
  t.is(problem.code, 'conflict');
});

test('a request that is repeated with its Idempotency-Key gets the import as it is, and stores no rows again', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs } = gateway;
  stubs.answer('imports.create', () => new Json(stubBytes('imports.create'), true));
  const response = await upload(gateway, csvFile(20_000), '', { 'idempotency-key': 'file-7' });
  t.is(response.status, 202);
  t.is(response.headers.get('idempotency-replayed'), 'true');
  t.is(response.headers.get('location'), `/v1/imports/${importId}`);
  t.is(await response.text(), stubBytes('imports.get'));
  t.is(stubs.calls('imports.create')[0]!.idempotencyKey, 'file-7');
  t.deepEqual(appended(stubs), []);
  t.deepEqual(finished(stubs), []);
});

test('of a file of 64 MiB, at most two chunks are in flight, and no more is read until they are stored', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs, send } = gateway;
  const rows = 64 * 1024;
  let sent = 0;
  const stored = Promise.withResolvers<void>();
  stubs.answer('imports.append', async () => {
    await stored.promise;
    return undefined;
  });
  const response = upload(
    gateway,
    csvFile(rows, 'x'.repeat(1000), () => (sent += 100)),
  );
  await eventually(() => appended(stubs).length > 0);
  // Requests that would let the upload continue.
  for (let request = 0; request < 50; request += 1) await (await send('/v1/contacts')).text();
  t.true(appended(stubs).length <= 2);
  // The buffers of both sockets, of the parser, and three chunks: some megabytes.
  t.true(sent < rows / 4, `${sent} of ${rows} rows sent`);
  stored.resolve();
  t.is((await response).status, 202);
  t.is(finished(stubs)[0]!.total, rows);
});

test('uploads of a workspace beyond its share are refused, without a slot being held', async (t) => {
  const gateway = await gatewayFor(t, { MAX_CONCURRENT: 1 });
  const { stubs } = gateway;
  const { apiKey } = stubs.makeKey();
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waiting = ends.map(({ promise }) => {
    const body = async function* () {
      yield* csvFile(600);
      await promise;
    };
    return upload(gateway, body(), '', bearer(apiKey));
  });
  await eventually(() => appended(stubs).length === 2);
  t.like(await problemIn(await upload(gateway, 'email\n', '', bearer(apiKey))), {
    code: 'rate_limited',
  });
  t.is((await upload(gateway, 'email\n')).status, 202);
  for (const { resolve } of ends) resolve();
  for (const response of waiting) t.is((await response).status, 202);
  t.is((await upload(gateway, 'email\n', '', bearer(apiKey))).status, 202);
});
