import { Json } from '@roster/bus';
import test from 'ava';
import { problemIn } from '../problem-document.js';
import { contactId, stubBytes } from '../stub-results.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

const put = (query: string, body: object) =>
  gateway().send(`/v1/contacts${query}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const inputOf = (response: Response): unknown =>
  gateway()
    .stubs.calls('contacts.upsert')
    .find(({ requestId }) => requestId === response.headers.get('x-request-id'))?.input;

test('reads the address from the query or the body, and from both if they are equal', async (t) => {
  const input = { email: 'ada@example.com', name: 'Ada' };
  t.deepEqual(inputOf(await put('?email=ada@example.com', { name: 'Ada' })), input);
  t.deepEqual(inputOf(await put('', input)), input);
  const both = await put('?email=ada%40example.com', { ...input, email: 'ADA@example.com' });
  t.deepEqual(inputOf(both), input);
});

test('refuses a request with two addresses, without one, or with an invalid one', async (t) => {
  const errorsOf = async (query: string, body: object) =>
    (await problemIn(await put(query, body))).errors;
  t.deepEqual(await errorsOf('?email=ada@example.com', { email: 'bob@example.com' }), [
    { pointer: '/email', message: 'must be the value of the query parameter' },
  ]);
  t.like((await errorsOf('?email=ada@example.com', { email: null }))![0], { pointer: '/email' });
  t.like((await errorsOf('', { name: 'Ada' }))![0], { pointer: '/email', message: 'is required' });
  t.like((await errorsOf('?email=ada', {}))![0], { pointer: '/email' });
});

test('answers 201 with the Location of a new contact, and 200 for an existing one', async (t) => {
  const created = await put('?email=ada@example.com', {});
  t.is(created.status, 201);
  t.is(created.headers.get('location'), `/v1/contacts/${contactId}`);
  const text = stubBytes('contacts.upsert').replace('"created":true', '"created":false');
  gateway().stubs.answer('contacts.upsert', ({ input }) =>
    (input as { name?: string }).name === 'existing' ? new Json(text) : undefined,
  );
  const updated = await put('?email=ada@example.com', { name: 'existing' });
  t.is(updated.status, 200);
  t.is(updated.headers.get('location'), null);
});
