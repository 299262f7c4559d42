import { generateKeyPairSync } from 'node:crypto';
import { Fault, systemCaller, type Caller } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import { CallerSigner, connectBus, type Call } from '../../index.js';
import {
  busFor,
  contactId,
  contactsHandlers,
  found,
  natsFor,
  outcomeOf,
  silent,
  within,
} from '../running-bus.js';

const ada: Caller = {
  workspaceId: 'wksp_01h455vb4pex5vsknk084sn02q',
  userId: 'usr_01h455vb4pex5vsknk084sn02q',
  keyId: 'key_01h455vb4pex5vsknk084sn02q',
  scopes: ['user'],
};

/** A contacts service that verifies callers, and a client that is connected to the same NATS server. */
async function verifyingService(t: ExecutionContext) {
  const nats = await natsFor(t);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const callerKeys = [{ id: 'k1', key: publicKey }];
  const server = await connectBus({ servers: nats.url, name: 'test', log: silent, callerKeys });
  t.teardown(() => server.close());
  const handled: Call[] = [];
  const handle = async (calls: Call[]) => {
    handled.push(...calls);
    return calls.map(found);
  };
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': handle,
      'contacts.list': handle,
      'contacts.create': handle,
    }),
  );
  await server.link.nats.flush();
  const client = await busFor(t, nats);
  const proofOf = (caller: Caller) =>
    new CallerSigner({ id: 'k1', key: privateKey }).sign(caller).text;
  const get = (caller: Caller) =>
    client.call('contacts.get', { contactId }, within(10_000, { caller }));
  return { client, handled, get, proof: proofOf(ada), proofOf };
}

const codeOf = (error: unknown) => (error instanceof Fault ? error.code : String(error));

test('a service handles calls with a statement about their caller', async (t) => {
  const { get, handled, proof } = await verifyingService(t);
  await get({ ...ada, proof });
  await get({ ...ada, proof });
  t.deepEqual(
    handled.map(({ caller }) => caller),
    [ada, ada],
  );
  t.is(handled[0]!.caller, handled[1]!.caller, 'verified once');
});

test('workspace, user, key and scopes are those of the statement, whatever the caller claims', async (t) => {
  const { get, handled, proof } = await verifyingService(t);
  const claims: Caller = {
    workspaceId: 'wksp_2',
    userId: 'usr_2',
    keyId: 'key_2',
    scopes: ['api_user', 'user'],
    proof,
  };
  await get(claims);
  t.deepEqual(handled[0]!.caller, ada);
});

test('calls without a valid statement are refused, and those beside them are handled', async (t) => {
  const { get, handled, proof } = await verifyingService(t);
  const forger = new CallerSigner({ id: 'k1', key: generateKeyPairSync('ed25519').privateKey });
  const outcomes = await Promise.allSettled([
    get(ada),
    get({ ...ada, proof: '' }),
    get({ ...ada, proof: proof.slice(0, -4) + 'AAAA' }),
    get({ ...ada, proof: forger.sign(ada).text }),
    get({ ...systemCaller, scopes: ['api_user', 'user'] }),
    get({ ...ada, proof }),
  ]);
  t.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'ok' : codeOf(outcome.reason))),
    [...Array.from({ length: 5 }, () => 'unavailable'), 'ok'],
  );
  t.is(handled.length, 1);
});

test('a malformed caller is refused, with and without verification, and calls beside it are handled', async (t) => {
  const { client, handled, proof } = await verifyingService(t);
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  server.serve('contacts', contactsHandlers({ 'contacts.get': async (calls) => calls.map(found) }));
  await server.link.nats.flush();
  const malformed: unknown[] = [
    { ...ada, proof, scopes: undefined },
    { ...ada, proof, scopes: 'user' },
    { ...ada, proof, workspaceId: 7 },
    { ...ada, proof: 7 },
    { ...ada, proof, token: { readOnly: true, operations: 7 } },
  ];
  for (const bus of [client, await busFor(t, nats)]) {
    const outcomes = [...malformed, { ...ada, proof }].map((caller) =>
      outcomeOf(
        bus.call('contacts.get', { contactId }, within(10_000, { caller: caller as Caller })),
      ),
    );
    const [noScopes, noArray, noWorkspace, noProof, noToken, valid] = await Promise.all(outcomes);
    t.deepEqual(
      [noScopes, noArray, noWorkspace, noProof],
      Array.from({ length: 4 }, () => 'unavailable'),
    );
    // Limits of a token are those of the statement, if statements are verified.
    t.is(noToken, bus === client ? 'ok' : 'internal');
    t.is(valid, 'ok');
  }
  t.is(handled.length, 2);
});

test('a service refuses an operation whose scope the statement does not contain', async (t) => {
  const { client, handled, proof } = await verifyingService(t);
  const context = within(10_000, { caller: { ...ada, scopes: ['api_user', 'user'], proof } });
  const list = client.call('contacts.list', { limit: 1, offset: 0 }, context);
  t.is(codeOf(await t.throwsAsync(list)), 'insufficient_scope');
  t.deepEqual(handled, []);
});

test('a service refuses input that the contract refuses, and names the fields', async (t) => {
  const { client, handled, proofOf } = await verifyingService(t);
  const caller = { ...ada, proof: proofOf({ ...ada, scopes: ['api_user'] }) };
  const input = { email: 'no address', name: '', tags: [], properties: { '0': 'a\0b' } };
  const error = await t.throwsAsync(
    client.call('contacts.create', input, within(10_000, { caller })),
    { instanceOf: Fault },
  );
  t.is(error.code, 'invalid');
  t.deepEqual(
    error.details.errors?.map(({ pointer }) => pointer),
    ['/email', '/properties/0'],
  );
  t.deepEqual(handled, []);
});

test('a service ignores fields of the input that it does not know', async (t) => {
  const { client, handled, proof } = await verifyingService(t);
  const input = { contactId, ofTheNextRelease: true };
  await client.call('contacts.get', input, within(10_000, { caller: { ...ada, proof } }));
  t.deepEqual(handled[0]!.input, { contactId });
});

test('a signed statement is handed out again for a minute, and for each key and its scopes', (t) => {
  const signer = new CallerSigner({ id: 'k1', key: generateKeyPairSync('ed25519').privateKey });
  const first = signer.sign(ada);
  const again = signer.sign({ ...ada });
  t.is(again.text, first.text);
  t.true(again.validSeconds > 110 && again.validSeconds <= 180);
  t.not(signer.sign({ ...ada, scopes: ['api_user'] }).text, first.text);
  t.not(signer.sign({ ...ada, keyId: 'key_2' }).text, first.text);
});
