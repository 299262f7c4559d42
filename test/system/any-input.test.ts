import fc from 'fast-check';
import test from 'ava';
import { Client, type Answer, type Contact } from './client.js';
import { patience, startRoster } from './running-roster.js';

/** Text that both PostgreSQL and JSON can represent. */
const text = (maxLength: number) =>
  fc
    .string({ unit: 'binary', maxLength })
    .filter((value) => value.isWellFormed() && !value.includes('\0'));
const tags = fc.uniqueArray(
  text(20).filter((tag) => tag !== ''),
  { maxLength: 5 },
);
const propertyName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,20}$/);
const properties = fc.dictionary(propertyName, text(50), { maxKeys: 5, noNullPrototype: true });

/** Any JSON value, including NULs, lone surrogates and unusual keys. */
const anything = fc.jsonValue({ maxDepth: 3 });
const id = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('cont_01m7yreg5ye008a425hbhr606j', 'me', '..', '%00', '%ff', '{contactId}'),
);

const paths: [string, string][] = [
  ['POST', '/v1/contacts'],
  ['PUT', '/v1/contacts/:id'],
  ['DELETE', '/v1/contacts/:id'],
  ['POST', '/v1/contacts/:id/unsubscribe'],
  ['POST', '/v1/contacts/:id/resubscribe'],
  ['POST', '/v1/contact-properties'],
  ['PUT', '/v1/contact-properties/:id'],
  ['POST', '/v1/users'],
  ['PUT', '/v1/users/me'],
  ['POST', '/v1/webhooks'],
  ['PUT', '/v1/webhooks/:id'],
  ['DELETE', '/v1/webhooks/:id'],
];

test('valid input is returned unchanged, and arbitrary input is answered with a 4xx problem, never a 5xx', async (t) => {
  t.timeout(120_000);
  const roster = await startRoster({ env: patience });
  t.teardown(() => roster.discard());
  const client = new Client(roster);
  let count = 0;

  await fc.assert(
    fc.asyncProperty(
      text(60),
      tags,
      properties,
      text(60),
      properties,
      async (name, tagList, own, renamed, more) => {
        const email = `valid-${(count += 1)}@example.com`;
        const made = await client.post<{ contact: Contact }>('/v1/contacts', {
          email,
          name,
          tags: tagList,
          properties: own,
        });
        t.is(made.status, 201);
        const { contact } = made.body;
        t.like(contact, { email, name });
        t.deepEqual(contact.tags, tagList);
        t.deepEqual(contact.properties, own);
        const changed = await client.put<{ contact: Contact }>(`/v1/contacts/${contact.id}`, {
          name: renamed,
          properties: more,
        });
        t.is(changed.status, 200);
        t.deepEqual(changed.body.contact, {
          ...contact,
          name: renamed,
          properties: { ...own, ...more },
        });
        t.deepEqual(
          (await client.get<{ contact: Contact }>(`/v1/contacts/${contact.id}`)).body,
          changed.body,
        );
      },
    ),
    { numRuns: 150 },
  );

  const expectedProblem = ({
    status,
    body,
    headers,
  }: Answer<{ code?: string; status?: number; requestId?: string }>) => {
    t.true(status >= 400 && status < 500, `${status} ${JSON.stringify(body)}`);
    t.regex(headers.get('content-type')!, /^application\/problem\+json/);
    t.is(body.status, status);
    t.is(body.requestId, headers.get('x-request-id')!);
  };
  const before = (await client.get<{ pagination: { total: number } }>('/v1/contacts?limit=1')).body
    .pagination.total;
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      id,
      anything,
      async ([method, path], some, body) => {
        const answer = await client.send(
          method,
          path.replace(':id', encodeURIComponent(some.toWellFormed())),
          JSON.stringify(body),
        );
        // An update or an action may take an empty object; no arbitrary value creates a contact.
        if (answer.status < 300) accepted += 1;
        else expectedProblem(answer);
      },
    ),
    { numRuns: 600 },
  );
  const after = (await client.get<{ pagination: { total: number } }>('/v1/contacts?limit=1')).body
    .pagination.total;
  t.is(after, before);
  t.log(`${accepted} of 600 arbitrary requests were valid`);

  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('limit', 'offset', 'after', 'x'), fc.string({ maxLength: 12 })),
      async (query) => {
        const answer = await client.get<Record<string, never>>(
          `/v1/contacts?${new URLSearchParams(query).toString()}`,
        );
        if (answer.status !== 200) expectedProblem(answer);
      },
    ),
    { numRuns: 200 },
  );
});
