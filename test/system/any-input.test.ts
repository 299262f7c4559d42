import fc from 'fast-check';
import test, { type ExecutionContext } from 'ava';
import { Client, type Answer, type Contact } from './client.js';
import { sharedRoster } from './running-roster.js';

/** Text that both PostgreSQL and JSON can represent. */
const text = (maxLength: number) =>
  fc
    .string({ unit: 'binary', maxLength })
    .filter((value) => value.isWellFormed() && !value.includes('\0'));
const tags = fc.uniqueArray(
  text(20).filter((tag) => tag !== ''),
  { maxLength: 5 },
);
// Lower case: a name that differs from an earlier one only by case is refused.
const propertyName = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/);
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
  ['PATCH', '/v1/users/me'],
  ['DELETE', '/v1/users/:id'],
  ['POST', '/v1/api-keys'],
  ['POST', '/v1/api-keys/:id/rotate'],
  ['DELETE', '/v1/api-keys/:id'],
  ['POST', '/v1/webhooks'],
  ['PUT', '/v1/webhooks/:id'],
  ['DELETE', '/v1/webhooks/:id'],
];

test('valid input is returned unchanged, and arbitrary input is answered with a 4xx problem, never a 5xx', async (t) => {
  const roster = await sharedRoster(t);
  const client = new Client(roster);
  await checkValidContacts(t, client);
  const before = await totalOf(client);
  await checkArbitraryBodies(t, client);
  t.is(await totalOf(client), before);
  await checkArbitraryQueries(t, client);
});

const totalOf = async (client: Client): Promise<number> =>
  (await client.get<{ pagination: { total: number } }>('/v1/contacts?limit=1')).body.pagination
    .total;

async function checkValidContacts(t: ExecutionContext, client: Client) {
  let count = 0;
  const contacts = fc.record({ name: text(60), tags, properties });
  const changes = fc.record({ name: text(60), properties });
  await fc.assert(
    fc.asyncProperty(contacts, changes, async (fields, change) => {
      const email = `valid-${(count += 1)}@example.com`;
      const made = await client.post<{ contact: Contact }>('/v1/contacts', { email, ...fields });
      t.is(made.status, 201);
      const { contact } = made.body;
      t.like(contact, { email, name: fields.name });
      t.deepEqual(contact.tags, fields.tags);
      t.deepEqual(contact.properties, fields.properties);
      const path = `/v1/contacts/${contact.id}`;
      const changed = await client.put<{ contact: Contact }>(path, change);
      t.is(changed.status, 200);
      const { updatedAt, version } = changed.body.contact;
      t.deepEqual(changed.body.contact, {
        ...contact,
        name: change.name,
        properties: { ...fields.properties, ...change.properties },
        updatedAt,
        version,
      });
      t.is(version > contact.version, updatedAt > contact.updatedAt);
      t.deepEqual((await client.get<{ contact: Contact }>(path)).body, changed.body);
    }),
    { numRuns: 150 },
  );
}

async function checkArbitraryBodies(t: ExecutionContext, client: Client) {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      id,
      anything,
      async ([method, path], some, body) => {
        const answer = await client.send<Problem>(
          method,
          path.replace(':id', encodeURIComponent(some.toWellFormed())),
          JSON.stringify(body),
        );
        // An update or an action may accept an empty object; no arbitrary value creates a contact.
        if (answer.status < 300) accepted += 1;
        else checkProblem(t, answer);
      },
    ),
    { numRuns: 600 },
  );
  t.log(`${accepted} of 600 arbitrary requests were valid`);
}

async function checkArbitraryQueries(t: ExecutionContext, client: Client) {
  const names = fc.constantFrom('limit', 'offset', 'after', 'x');
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, fc.string({ maxLength: 12 })), async (query) => {
      const answer = await client.get<Problem>(
        `/v1/contacts?${new URLSearchParams(query).toString()}`,
      );
      if (answer.status !== 200) checkProblem(t, answer);
    }),
    { numRuns: 200 },
  );
}

interface Problem {
  code?: string;
  status?: number;
  requestId?: string;
}

function checkProblem(t: ExecutionContext, { status, body, headers }: Answer<Problem>) {
  t.true(status >= 400 && status < 500, `${status} ${JSON.stringify(body)}`);
  t.regex(headers.get('content-type')!, /^application\/problem\+json/);
  t.is(body.status, status);
  t.is(body.requestId, headers.get('x-request-id')!);
}
