import { Json } from '@roster/bus';
import test from 'ava';
import { sharedGateway } from '../../test-gateway.js';
import { codesOf, executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

test('composes the Idempotency-Key of each field of a mutation, and sends none with queries and batches', async (t) => {
  const headers = { 'idempotency-key': 'import-7', 'x-request-id': 'idempotent' };
  const create = (alias: string) =>
    `${alias}: createUser(input: {email: "a@example.com", name: "A"}) { user { id } }`;
  await execute(`mutation { ${create('a')} ${create('b')} }`, {}, headers);
  await execute('{ webhooks { id } }', {}, headers);
  const keysOf = (operation: string) =>
    gateway()
      .stubs.calls(operation)
      .filter(({ requestId }) => requestId === 'idempotent')
      .map(({ idempotencyKey }) => idempotencyKey);
  t.deepEqual(keysOf('users.create'), ['import-7/a', 'import-7/b']);
  t.deepEqual(keysOf('webhooks.list'), [undefined]);
  const batch = await gateway().post('/graphql', [{ query: '{ me { id } }' }], headers);
  t.is(batch.status, 422);
});

test('names the fields of a mutation whose results were stored, in their order, and is silent without any', async (t) => {
  const { answer } = gateway().stubs;
  answer(
    'workspaces.set-origins',
    ({ idempotencyKey }) => new Json('{"origins":[]}', idempotencyKey!.startsWith('old/')),
  );
  const set = (alias: string) => `${alias}: setWorkspaceOrigins(input: {origins: []}) { origins }`;
  const extensionsOf = async (key: string) => {
    const { text } = await execute(
      `mutation { ${set('a')} ${set('b')} }`,
      {},
      {
        'idempotency-key': key,
      },
    );
    return (JSON.parse(text) as { extensions?: object }).extensions;
  };
  t.deepEqual(await extensionsOf('old'), { idempotencyReplayed: ['a', 'b'] });
  t.is(await extensionsOf('new'), undefined);
});

test('rejects an Idempotency-Key that exceeds 255 characters together with the response name', async (t) => {
  const mutation = (alias: string) =>
    `mutation { ${alias}: createUser(input: {email: "a@example.com", name: "A"}) { user { id } } }`;
  const executeWith = (length: number, id: string) =>
    execute(mutation('abcd'), {}, { 'idempotency-key': 'k'.repeat(length), 'x-request-id': id });
  t.is((await executeWith(250, 'key-fits')).errors, undefined);
  const tooLong = await executeWith(251, 'key-too-long');
  t.deepEqual(codesOf(tooLong), ['invalid']);
  t.is(tooLong.errors![0]!.extensions.requestId, 'key-too-long');
  t.deepEqual(gateway().stubs.operationsCalledBy('key-too-long'), []);
});
