import { encodeId, operations, signingSecretOf, type Operation } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { stubBytes } from '../../stub-results.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request without headers of its own, as `fetch` would add them, and returns the body as it was received. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' } = {},
): Promise<Answer> {
  const { apiKey } = gateway.stubs.makeKey();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(
    gateway.url + path,
    { method, headers: { authorization: `Bearer ${apiKey}`, ...headers } },
    (response) =>
      void buffer(response).then(
        (received) =>
          resolve({ status: response.statusCode!, headers: response.headers, body: received }),
        reject,
      ),
  );
  sent.on('error', reject).end(body);
  return promise;
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync };
const codings = ['gzip', 'br'] as const;

const contactOf = (tags: string[]) => ({
  ...(JSON.parse(stubBytes('contacts.get')) as { contact: object }).contact,
  tags,
});
const manyTags = Array.from({ length: 100 }, (_, n) => `tag ${n} ${randomUUID()}`);
const contactPath = () => `/v1/contacts/${encodeId('contact', randomUUID())}`;

let gateway: TestGateway;
test.before(async () => {
  gateway = await testGateway();
  const { stubs } = gateway;
  stubs.answer('contacts.get', () => ({ contact: contactOf(manyTags) }));
  stubs.answer('contacts.list', ({ input }) => ({
    contacts: Array.from({ length: (input as { limit: number }).limit }, () => contactOf(manyTags)),
    pagination: { total: 100, limit: 100, offset: 0, next: null },
  }));
});

test.after.always(() => gateway?.close());

// Serial: while two large bodies are compressed, a third is sent as it is.
for (const coding of codings)
  test.serial(
    `${coding}: results and documents of every size are what they are without a coding`,
    async (t) => {
      for (const path of [
        '/v1/contacts?limit=2',
        '/v1/contacts?limit=100',
        '/v1/openapi.json',
        '/docs/assets/search.json',
        '/problems',
      ]) {
        const plain = await ask(path);
        t.is(plain.headers['content-encoding'], undefined, path);
        const first = await ask(path, { 'accept-encoding': coding });
        const second = await ask(path, { 'accept-encoding': coding });
        for (const { headers, body } of [first, second]) {
          t.is(headers['content-encoding'], coding, path);
          t.is(Number(headers['content-length']), body.length);
          t.true(decoders[coding](body).equals(plain.body), path);
          t.true(body.length < plain.body.length);
        }
        const head = await ask(path, { 'accept-encoding': coding }, { method: 'HEAD' });
        t.is(head.body.length, 0);
        t.is(head.headers['content-encoding'], coding);
        t.is(head.headers['content-length'], first.headers['content-length']);
        for (const { headers } of [plain, first, head]) t.regex(headers.vary!, /Accept-Encoding/);
      }
    },
  );

test('results of less than 1 KiB are compressed only for a client that refuses them otherwise', async (t) => {
  const path = '/v1/users/me';
  t.is((await ask(path, { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined);
  const { headers, body } = await ask(path, { 'accept-encoding': 'gzip, identity;q=0' });
  t.is(headers['content-encoding'], 'gzip');
  t.is(gunzipSync(body).toString(), stubBytes('users.me'));
});

test('a client that accepts no coding that the gateway has, not even none, gets the result without one', async (t) => {
  const { status, headers } = await ask('/v1/contacts?limit=2', { 'accept-encoding': '*;q=0' });
  t.is(status, 200);
  t.is(headers['content-encoding'], undefined);
});

for (const coding of codings)
  test(`${coding}: the entity tag differs from that without a coding, and conditions accept both`, async (t) => {
    const path = contactPath();
    const accept = { 'accept-encoding': coding };
    const plain = (await ask(path)).headers.etag!;
    const coded = (await ask(path, accept)).headers.etag!;
    t.not(coded, plain);
    for (const known of [plain, coded, `W/${coded}`]) {
      const plainAgain = await ask(path, { 'if-none-match': known });
      t.is(plainAgain.status, 304, known);
      t.is(plainAgain.headers.etag, plain);
      const codedAgain = await ask(path, { ...accept, 'if-none-match': known });
      t.is(codedAgain.status, 304, known);
      t.is(codedAgain.headers.etag, coded);
      t.is(codedAgain.headers['content-encoding'], undefined);
    }
    const versions: unknown[] = [];
    for (const ifMatch of [plain, coded]) {
      const requestId = randomUUID();
      const headers = { 'if-match': ifMatch, 'x-request-id': requestId };
      await ask(path, headers, { method: 'DELETE' });
      const calls = gateway.stubs.calls('contacts.delete');
      versions.push(calls.find((call) => call.requestId === requestId)?.ifMatch);
    }
    t.deepEqual(versions[0], versions[1]);
    t.is((versions[0] as string[]).length, 1);
  });

const query = (text: string) => ({ method: 'POST', body: JSON.stringify({ query: text }) });
const graphqlHeaders = { 'content-type': 'application/json', 'accept-encoding': 'br' };

test.serial('GraphQL: results are compressed', async (t) => {
  const fields = Array.from(
    { length: 30 },
    (_, n) => `c${n}: contact(id: "${encodeId('contact', randomUUID())}") { id tags }`,
  ).join(' ');
  const { headers, body } = await ask('/graphql', graphqlHeaders, query(`{ ${fields} }`));
  t.is(headers['content-encoding'], 'br');
  const { data } = JSON.parse(brotliDecompressSync(body).toString()) as {
    data: Record<string, { tags: string[] }>;
  };
  t.deepEqual(data['c29']!.tags, manyTags);
});

test('GraphQL: a response with the status of an error is not compressed', async (t) => {
  const accept = { accept: 'application/graphql-response+json' };
  const fields = Array.from({ length: 9 }, (_, n) => `${'x'.repeat(300)}${n}`);
  const document = query(`{ ${fields.join(' ')} }`);
  const { status, headers, body } = await ask(
    '/graphql',
    { ...graphqlHeaders, ...accept },
    document,
  );
  t.is(status, 400);
  t.is(headers['content-encoding'], undefined);
  t.true(body.length > 2000);
});

/** Names of the fields of a result, at any depth. */
const fieldsOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...fieldsOf(inner)])
    : [];

test('every operation over HTTP whose result contains a secret is declared as such', (t) => {
  const secrets = ['secret', 'token', 'signingSecret'];
  const all = Object.values(operations as Record<string, Operation>).filter(({ scope }) => scope);
  const containing = all.filter(({ name }) => {
    const result = JSON.parse(stubBytes(name)) as object;
    // `key.get` says whether a token was sent, not which.
    return name !== 'key.get' && fieldsOf(result).some((field) => secrets.includes(field));
  });
  t.true(containing.length >= 6);
  t.deepEqual(
    all.filter(({ containsSecret }) => containsSecret).map(({ name }) => name),
    containing.map(({ name }) => name),
  );
});

test('results that contain a secret are not compressed, over REST and GraphQL', async (t) => {
  const { webhook } = JSON.parse(stubBytes('webhooks.get')) as {
    webhook: { id: string; url: string; token: string };
  };
  const url = `https://example.com/${'a'.repeat(2000)}`;
  gateway.stubs.answer('webhooks.get', () => ({ webhook: { ...webhook, url } }));
  const accept = { 'accept-encoding': 'gzip, br, identity;q=0' };
  const rest = await ask(`/v1/webhooks/${webhook.id}`, accept);
  t.is(rest.headers['content-encoding'], undefined);
  t.true(rest.body.length > 2000);
  const document = query(`{ webhook(id: "${webhook.id}") { url secret: signingSecret } }`);
  const graphql = await ask('/graphql', { ...graphqlHeaders, ...accept }, document);
  t.is(graphql.headers['content-encoding'], undefined);
  t.true(graphql.body.toString().includes(signingSecretOf(webhook.token)));
});

test('an event stream is not compressed', async (t) => {
  const document = query('{ nothing }');
  const { headers } = await ask(
    '/graphql',
    { ...graphqlHeaders, accept: 'text/event-stream', 'accept-encoding': 'gzip, identity;q=0' },
    document,
  );
  t.regex(headers['content-type']!, /^text\/event-stream/);
  t.is(headers['content-encoding'], 'none');
});
