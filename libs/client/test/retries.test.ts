import test from 'ava';
import { RosterError } from '../index.js';
import { contact, cut, json, problem, scripted } from './scripted-server.js';

const unavailable = problem(503, 'unavailable');
const created = json({ contact }, 201);
const input = { email: 'ada@example.com', name: 'Ada', tags: ['vip'] };

test('a write that is sent again has the same idempotency key and the same bytes', async (t) => {
  const { roster, received } = await scripted(t, [
    unavailable,
    cut,
    problem(504, 'timeout'),
    created,
  ]);
  t.like(await roster.contacts.create(input), contact);
  t.is(received.length, 4);
  t.regex(received[0]!.headers['idempotency-key'] as string, /^[\da-f]{32}$/);
  for (const { headers, body, method, url } of received) {
    t.is(headers['idempotency-key'], received[0]!.headers['idempotency-key']);
    t.is(body, JSON.stringify(input));
    t.deepEqual([method, url], ['POST', '/v1/contacts']);
  }
});

test('each call has an idempotency key of its own, unless it is given one, and reads have none', async (t) => {
  const { roster, received } = await scripted(t, [created]);
  await roster.contacts.create(input);
  await roster.contacts.create(input);
  await roster.contacts.create(input, { idempotencyKey: 'mine' });
  await roster.contacts.get('cont_1');
  const keys = received.map(({ headers }) => headers['idempotency-key']);
  t.not(keys[0], keys[1]);
  t.deepEqual(keys.slice(2), ['mine', undefined]);
});

test('a request is sent again no earlier than Retry-After says, in seconds or as a date', async (t) => {
  const later = new Date(Date.now() + 3000);
  const date = new Date(later.getTime() - later.getMilliseconds());
  const { roster, received } = await scripted(t, [
    problem(429, 'rate_limited', {}, { 'retry-after': '1' }),
    problem(503, 'unavailable', {}, { 'retry-after': date.toUTCString() }),
    created,
  ]);
  await roster.contacts.create(input);
  t.true(received[1]!.atMs - received[0]!.atMs >= 1000);
  t.true(Date.now() >= date.getTime());
});

test('a Retry-After of more than a minute is not waited for', async (t) => {
  const { roster, received } = await scripted(t, [
    problem(429, 'rate_limited', {}, { 'retry-after': '3600' }),
  ]);
  const error = await t.throwsAsync(roster.contacts.create(input), { instanceOf: RosterError });
  t.true(error.is('rate_limited'));
  t.is(error.retryAfterSeconds, 3600);
  t.is(received.length, 1);
});

test('a write whose idempotency key is in use is sent again, for the answer of the first attempt', async (t) => {
  const { roster, received } = await scripted(t, [
    cut,
    problem(409, 'idempotency_key_in_use', {}, { 'retry-after': '0' }),
    created,
  ]);
  t.like(await roster.contacts.create(input), contact);
  t.is(received.length, 3);
});

for (const [status, code] of [
  [500, 'internal'],
  [409, 'conflict'],
  [422, 'invalid'],
  [422, 'idempotency_key_reused'],
  [404, 'not_found'],
  [401, 'unauthenticated'],
] as const)
  test(`${code} is not sent again`, async (t) => {
    const { roster, received } = await scripted(t, [problem(status, code)]);
    const error = await t.throwsAsync(roster.contacts.create(input), { instanceOf: RosterError });
    t.true(error.is(code));
    t.deepEqual([error.attempts, received.length], [1, 1]);
  });

test('after the last attempt the fault is thrown, with the number of attempts', async (t) => {
  const { roster, received } = await scripted(t, [cut, unavailable], { retries: 2 });
  const error = await t.throwsAsync(roster.contacts.delete('cont_1'), { instanceOf: RosterError });
  t.true(error.is('unavailable'));
  t.deepEqual([error.attempts, received.length], [3, 3]);
  await t.throwsAsync(async () => {
    const { roster } = await scripted(t, [unavailable], { retries: 0 });
    await roster.meta.get();
  });
});

test('a host that nobody listens on is unreachable, and the error says why', async (t) => {
  const { roster } = await scripted(t, [created], { baseUrl: 'http://127.0.0.1:1', retries: 1 });
  const error = await t.throwsAsync(roster.meta.get(), { instanceOf: RosterError });
  t.true(error.is('unreachable'));
  t.is(error.status, 0);
  t.is(error.attempts, 2);
  t.regex(error.detail, /^GET \/v1\/meta failed: .*(ECONNREFUSED|bad port)/);
});

test('a function is asked for the API key at each attempt, and again after a 401, once', async (t) => {
  let asked = 0;
  const apiKey = () => `rsk_${++asked}`;
  const refused = problem(401, 'unauthenticated');
  const { roster, received } = await scripted(t, [refused, json({ key: {} }), refused], { apiKey });
  await roster.key.get();
  await t.throwsAsync(roster.key.get(), { message: /unauthenticated/ });
  t.deepEqual(
    received.map(({ headers }) => headers.authorization),
    ['Bearer rsk_1', 'Bearer rsk_2', 'Bearer rsk_3', 'Bearer rsk_4'],
  );
});

test('a write that may have been applied is not sent with another API key, to which its idempotency key means nothing', async (t) => {
  let asked = 0;
  const apiKey = () => `rsk_${++asked}`;
  const { roster, received } = await scripted(t, [cut, created], { apiKey });
  const error = await t.throwsAsync(roster.contacts.create(input), { instanceOf: RosterError });
  t.true(error.is('unreachable'));
  t.is(received.length, 1);
});

test('an API key that is none is not sent, and no error contains it', async (t) => {
  const { roster, received } = await scripted(t, [created], { apiKey: 'secret\nsecret' });
  const error = await t.throwsAsync(roster.meta.get());
  t.notRegex(error.stack!, /secret/);
  t.is(received.length, 0);
  t.throws(
    () => new (roster.constructor as new (options: object) => object)({ baseUrl: 'http://x' }),
    {
      message: 'apiKey is missing.',
    },
  );
});
