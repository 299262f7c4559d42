import test from 'ava';
import { RosterError } from '../index.js';
import { contact, json, problem, scripted, type Reply } from './scripted-server.js';

test('a fault has its code, its fields, the ID of its request and all that the server says', async (t) => {
  const errors = [{ pointer: '/email', message: 'must be an email address' }];
  const { roster } = await scripted(t, [problem(422, 'invalid', { errors, more: 1 })]);
  const error = await t.throwsAsync(roster.contacts.create({ email: 'x' }), {
    instanceOf: RosterError,
  });
  t.true(error.is('invalid'));
  t.false(error.is('conflict'));
  t.deepEqual(error.errors, errors);
  t.like(error, { status: 422, requestId: 'req_1', detail: 'It is invalid.', name: 'RosterError' });
  t.is(error.message, 'It is invalid. (invalid, req_1)');
  t.is(error.problem['more'], 1);
});

test('a conflict names the other resource', async (t) => {
  const { roster } = await scripted(t, [problem(409, 'conflict', { existingId: 'cont_2' })]);
  const error = await t.throwsAsync(roster.contacts.create({ email: 'x' }), {
    instanceOf: RosterError,
  });
  t.is(error.existingId, 'cont_2');
});

const page =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html', 'x-request-id': 'req_proxy' });
    response.end('<html>');
  };

for (const [status, code] of [
  [404, 'unexpected_response'],
  [200, 'unexpected_response'],
  [502, 'unavailable'],
  [504, 'timeout'],
] as const)
  test(`a page of a proxy with ${status} is a fault: ${code}`, async (t) => {
    const { roster } = await scripted(t, [page(status)], { retries: 0 });
    const error = await t.throwsAsync(roster.meta.get(), { instanceOf: RosterError });
    t.true(error.is(code));
    t.is(error.status, status);
  });

test('JSON that is not an answer of Roster is an unexpected response, and is not requested again', async (t) => {
  for (const body of ['null', '[]', '{"other":1}', '{"contact":null,"contacts":1}'])
    for (const call of ['get', 'list', 'iterate'] as const) {
      const { roster, received } = await scripted(t, [
        (response) => response.setHeader('content-type', 'application/json').end(body),
      ]);
      const calls = {
        get: () => roster.contacts.get('cont_1'),
        list: () => roster.contacts.list(),
        iterate: async () => {
          for await (const _ of roster.contacts.list()) t.fail();
        },
      };
      const error = await t.throwsAsync(calls[call], { instanceOf: RosterError });
      t.true(error.is('unexpected_response'), `${call} ${body}: ${error.message}`);
      t.is(received.length, 1);
    }
});

test('a redirect is not followed: a key and a body belong to the host that was named', async (t) => {
  const { roster, received } = await scripted(t, [
    json({}, 301, { location: 'http://127.0.0.1:1/' }),
  ]);
  const error = await t.throwsAsync(roster.contacts.create({ email: 'x' }), {
    instanceOf: RosterError,
  });
  t.true(error.is('unexpected_response'));
  t.is(received.length, 1);
});

test('an ID never changes the path of a request', async (t) => {
  const { roster, received } = await scripted(t, [json({ deleted: true })]);
  for (const id of ['', '.', '..', 'a/b', 'a?b', 'ä', '%2e', undefined as unknown as string]) {
    const error = await t.throwsAsync(roster.contacts.delete(id), { instanceOf: RosterError });
    t.true(error.is('not_found'));
  }
  t.is(received.length, 0);
});

test('a contact is named by its address or its external ID, which is encoded', async (t) => {
  const { roster, received } = await scripted(t, [json({ deleted: true })]);
  for (const id of ['email:a+b@example.com', 'externalId:a/../b?#% $&ä:', 'externalId:..'])
    await roster.contacts.delete(id);
  t.deepEqual(
    received.map(({ url }) => url),
    [
      '/v1/contacts/email:a%2Bb%40example.com',
      '/v1/contacts/externalId:a%2F..%2Fb%3F%23%25%20%24%26%C3%A4%3A',
      '/v1/contacts/externalId:..',
    ],
  );
  for (const id of ['email:', 'externalId:', 'externalId:\ud800', 'ada@example.com'])
    await t.throwsAsync(roster.contacts.delete(id), { instanceOf: RosterError });
  t.is(received.length, 3);
});

test('a tag is encoded, and is any but those that URLs take for a folder', async (t) => {
  const { roster, received } = await scripted(t, [json({ action: {} })]);
  for (const tag of ['vip', 'is:a:b', 'a/b?#% ä', '%2e', '...']) await roster.tags.delete(tag);
  t.deepEqual(
    received.map(({ url }) => url),
    ['vip', 'is:a%3Ab', 'a%2Fb%3F%23%25%20%C3%A4', '%252e', '...'].map((tag) => `/v1/tags/${tag}`),
  );
  for (const tag of ['', '.', '..', '\ud800', undefined as unknown as string])
    await t.throwsAsync(roster.tags.delete(tag), { instanceOf: RosterError });
  t.is(received.length, 5);
});

test('a failed call whose response or pages are asked for causes no unhandled rejection', async (t) => {
  const { roster } = await scripted(t, [problem(404, 'not_found')]);
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  t.teardown(() => process.off('unhandledRejection', onUnhandled));
  await t.throwsAsync(roster.contacts.get('cont_1').withResponse());
  await t.throwsAsync(async () => {
    for await (const _ of roster.contacts.list()) t.fail();
  });
  await new Promise(setImmediate);
  t.deepEqual(unhandled, []);
});

test('the version of a resource is in its response, and a write is made only of that version', async (t) => {
  const { roster, received } = await scripted(t, [
    json({ contact }, 200, { etag: '"v1"' }),
    problem(412, 'precondition_failed', { entityTag: 'v2' }),
  ]);
  const { data, response } = await roster.contacts.get('cont_1').withResponse();
  t.like(data, contact);
  const error = await t.throwsAsync(
    roster.contacts.update('cont_1', { name: 'A' }, { ifMatch: response.headers.get('etag')! }),
    { instanceOf: RosterError },
  );
  t.true(error.is('precondition_failed'));
  t.is(error.problem['entityTag'], 'v2');
  t.is(received[1]!.headers['if-match'], '"v1"');
});
