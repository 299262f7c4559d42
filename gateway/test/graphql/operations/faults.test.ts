import { Fault } from '@roster/contracts';
import test from 'ava';
import { contactId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';
import { codesOf, executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

test('rejects invalid input with the code and the pointers of REST, without calling a service', async (t) => {
  const input = {
    email: 'x',
    name: 'n'.repeat(257),
    tags: [''],
    properties: { 'no name': 'v', n: 1 },
  };
  const { status, errors, data } = await execute(
    'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }',
    { input },
    { 'x-request-id': 'wrong-input' },
  );
  t.is(status, 200, 'the document is valid');
  t.is(data, null);
  const rest = (await (await gateway().post('/v1/contacts', input)).json()) as {
    errors: unknown;
    detail: string;
  };
  t.deepEqual(errors![0]!.extensions.errors, rest.errors as []);
  t.is(errors![0]!.message, rest.detail);
  t.deepEqual(codesOf({ errors: errors! }), ['invalid']);
  t.deepEqual(errors![0]!.path, ['createContact']);
  t.false(
    gateway()
      .stubs.calls('contacts.create')
      .some(({ requestId }) => requestId === 'wrong-input'),
  );
});

test('a mutation that fails leaves those before it applied, and those after it are not executed', async (t) => {
  const create = (email: string) => `createContact(input: {email: "${email}"}) { contact { id } }`;
  const { errors, data } = await execute(
    `mutation { a: ${create('a@example.com')} b: ${create('x')} c: ${create('c@example.com')} }`,
    {},
    { 'x-request-id': 'three-mutations' },
  );
  t.is(data, null);
  t.deepEqual(errors![0]!.path, ['b']);
  const sent = gateway()
    .stubs.calls('contacts.create')
    .filter(({ requestId }) => requestId === 'three-mutations');
  t.is(sent.length, 1);
});

test('rejects keys named __proto__ in variables', async (t) => {
  const variables = JSON.parse(
    '{"input": {"email": "a@example.com", "properties": {"__proto__": "x"}}}',
  ) as {
    input: object;
  };
  const { errors } = await execute(
    'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }',
    variables,
  );
  t.deepEqual(
    errors![0]!.extensions.errors?.map(({ pointer }) => pointer),
    ['/properties/__proto__'],
  );
});

test('returns the public part of a fault in the error of its field, and the other fields', async (t) => {
  gateway().stubs.answer('users.me', ({ requestId }) =>
    requestId === 'partial'
      ? new Fault('unavailable', 'Not now.', { retryAfterSeconds: 1, reason: 'secret' })
      : undefined,
  );
  const { status, data, errors, text } = await execute(
    '{ me { id } contactProperties { name } }',
    {},
    { 'x-request-id': 'partial' },
  );
  t.is(status, 200);
  t.deepEqual(data, { me: null, contactProperties: [{ name: 'city' }] });
  t.deepEqual(errors![0]!.extensions, {
    code: 'unavailable',
    retryAfterSeconds: 1,
    requestId: 'partial',
  } as never);
  t.notRegex(text, /secret/);
  gateway().stubs.answer('contacts.create', ({ requestId }) =>
    requestId === 'conflict'
      ? new Fault('conflict', 'There is one.', { existingId: contactId })
      : undefined,
  );
  const conflict = await execute(
    'mutation { createContact(input: {email: "ada@example.com"}) { contact { id } } }',
    {},
    { 'x-request-id': 'conflict' },
  );
  t.like(conflict.errors![0]!.extensions, { code: 'conflict', existingId: contactId });
});

test('answers an unexpected error with internal and the request ID only', async (t) => {
  gateway().stubs.answer('webhooks.list', ({ requestId }) => {
    // A result that violates the contract and fails in the gateway.
    if (requestId === 'broken') return { webhooks: [{ id: null, secret: 'hunter2' }] };
    return undefined;
  });
  const { text, errors } = await execute(
    '{ webhooks { id url } }',
    {},
    { 'x-request-id': 'broken' },
  );
  for (const { message, extensions } of errors!) {
    t.is(message, 'An internal error occurred.');
    t.deepEqual(extensions, { code: 'internal', requestId: 'broken' });
  }
  t.notRegex(text, /stack|hunter2|node_modules|non-null/i);
});
