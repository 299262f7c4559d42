import { Fault } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { problemIn } from '../../problem-document.js';
import { contactId } from '../../stub-results.js';
import { bearer, gatewayFor, type TestGateway } from '../../test-gateway.js';
import { contactOf, stubContacts } from './stub-contacts.js';

const path = '/v1/exports/contacts?format=ndjson';
const contactPath = `/v1/contacts/${contactId}`;
/** 16 MB: more than the kernel takes for a client that does not read. */
const many = Array.from({ length: 5_000 }, () =>
  contactOf({ properties: { note: 'x'.repeat(3000) } }),
);
const end = '0\r\n\r\n';

/** A client that begins an export and does not read. */
async function stalled(t: ExecutionContext, gateway: TestGateway, apiKey: string): Promise<Socket> {
  const { port, stubs } = gateway;
  const socket = connect(port, '127.0.0.1')
    .on('error', () => {})
    .pause();
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  const id = randomUUID();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nX-Request-Id: ${id}\r\n\r\n`,
  );
  await eventually(() => stubs.operationsCalledBy(id).includes('contacts.find'));
  // Bytes are unread for a moment also while the kernel still takes them.
  const isStalled = async () => {
    const before = stubs.calls('contacts.find').length;
    await otherRequests(t, gateway);
    return (await unreadBytes(gateway)) > 0 && stubs.calls('contacts.find').length === before;
  };
  await eventually(isStalled, { timeoutMs: 120_000 });
  return socket;
}

async function unreadBytes({ metrics }: TestGateway): Promise<number> {
  return Number(/^roster_http_unread_bytes[{ ].*?([\d.e+]+)$/m.exec(await metrics.metrics())![1]);
}

/** How many exports ended, by outcome. */
async function outcomes({ metrics }: TestGateway): Promise<Record<string, number>> {
  const lines = (await metrics.metrics()).matchAll(
    /^roster_http_exports_ended_total\{.*?outcome="(\w+)".*?\} (\d+)$/gm,
  );
  return Object.fromEntries([...lines].map(([, outcome, count]) => [outcome, Number(count)]));
}

/** Requests that would let an export continue that does not wait. */
async function otherRequests(t: ExecutionContext, { send }: TestGateway): Promise<void> {
  for (let request = 0; request < 30; request += 1) t.is((await send(contactPath)).status, 200);
}

test('reads no more than a page ahead of the client, without a slot, until the client reads', async (t) => {
  const gateway = await gatewayFor(t, { MAX_CONCURRENT: 1 });
  stubContacts(gateway.stubs, many);
  const pages = () => gateway.stubs.calls('contacts.find').length;
  const socket = await stalled(t, gateway, gateway.stubs.makeKey().apiKey);
  const { after } = gateway.stubs.calls('contacts.find').at(-1)!.input as { after: string };
  t.true(Number(after) < 0.9 * many.length, `${pages()} pages, the last after ${after} contacts`);
  let bytes = 0;
  let last = '';
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    last = chunk.toString('latin1').slice(-end.length);
  });
  socket.resume();
  await eventually(() => last === end, { timeoutMs: 120_000 });
  t.true(bytes > 15_000_000);
  await eventually(async () => (await outcomes(gateway))['completed'] === 1);
});

test('a client that hangs up ends the calls, and frees its place', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs, send } = gateway;
  stubContacts(stubs, many);
  const { apiKey } = stubs.makeKey();
  const sockets = [await stalled(t, gateway, apiKey), await stalled(t, gateway, apiKey)];
  const refused = await problemIn(await send(path, { headers: bearer(apiKey) }));
  t.like(refused, { code: 'rate_limited', status: 429 });
  for (const socket of sockets) socket.destroy();
  await eventually(async () => (await outcomes(gateway))['abandoned'] === 2);
  // Without the filter of the exports after them.
  const pagesOf = () =>
    stubs.calls('contacts.find').filter(({ input }) => !('q' in (input as object))).length;
  const isAdmitted = async () => {
    const response = await send(`${path}&q=again`, { headers: bearer(apiKey) });
    await response.body?.cancel();
    return response.status === 200;
  };
  await eventually(isAdmitted);
  const before = pagesOf();
  await otherRequests(t, gateway);
  t.is(pagesOf(), before);
});

test('reads a page again that is refused for a moment', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  const contacts = Array.from({ length: 300 }, (_, n) => contactOf({ email: `c${n}@example.com` }));
  let refusals = 0;
  const codes = ['unavailable', 'timeout', 'unavailable'] as const;
  stubContacts(stubs, contacts);
  const answer = async (input: object) => {
    const { after = '0', limit } = input as { after?: string; limit: number };
    const code = Number(after) > 100 ? codes[refusals++] : undefined;
    if (code) return new Fault(code, 'Later.');
    const to = Number(after) + limit;
    const next = to < contacts.length ? String(to) : null;
    return {
      contacts: contacts.slice(Number(after), to),
      pagination: { total: null, limit, offset: 0, next },
    };
  };
  stubs.answer('contacts.find', ({ input }) => answer(input as object));
  const text = await (await send(path)).text();
  t.deepEqual(
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { email: string }).email),
    contacts.map(({ email }) => email),
  );
  t.true(refusals > codes.length);
});

test('an export that cannot be completed ends with an error of the connection', async (t) => {
  const gateway = await gatewayFor(t);
  const { stubs, send } = gateway;
  stubs.answer('contacts.find', ({ input }) =>
    (input as { after?: string }).after === undefined
      ? { contacts: [contactOf()], pagination: { total: null, limit: 1, offset: 0, next: 'x' } }
      : new Fault('internal', 'Failed.'),
  );
  const response = await send(path);
  t.is(response.status, 200);
  await t.throwsAsync(response.text());
  await eventually(async () => (await outcomes(gateway))['failed'] === 1);
});

test('a key that is revoked ends its exports', async (t) => {
  const gateway = await gatewayFor(t, { KEY_CACHE_SECONDS: 0 });
  const { stubs } = gateway;
  stubContacts(stubs, many);
  const key = stubs.makeKey();
  const socket = await stalled(t, gateway, key.apiKey);
  stubs.revoke(key);
  let last = '';
  // Also after an error: the connection is reset.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (chunk: Buffer) => (last = chunk.toString('latin1').slice(-end.length)));
  socket.resume();
  await closed;
  t.not(last, end);
});

for (const [name, limits] of Object.entries({
  'is read too slowly as a whole': { waitingMs: 0, bytesPerSecondMin: 2 ** 40 },
  'takes too long': { durationMs: 1 },
}))
  test(`an export that ${name} is broken off, and frees its place`, async (t) => {
    const exportLimits = { ...limits, workspace: 1, process: 1 };
    const gateway = await gatewayFor(t, {}, { exportLimits });
    const { stubs, send } = gateway;
    stubContacts(stubs, many);
    const response = await send(path);
    t.is(response.status, 200);
    await t.throwsAsync(response.text());
    await eventually(async () => (await outcomes(gateway))['limited'] === 1);
    const again = await send(path);
    t.is(again.status, 200);
    await t.throwsAsync(again.text());
  });

test('clients of HTTP/1.0, which cannot recognize the end of a file, are refused', async (t) => {
  const gateway = await gatewayFor(t);
  const { apiKey } = gateway.stubs.makeKey();
  const socket = connect(gateway.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
  const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
  t.regex(text, /^HTTP\/1\.1 422 /);
  t.regex(text, /Files require HTTP\/1\.1/);
});
