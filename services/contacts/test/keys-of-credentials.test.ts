import { encodeId, uuidOf, type Caller } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { handlers } from '../handlers.js';
import { openReplica, storedKeys } from './other-processes.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';
import { serviceOn } from './service-on.js';
import { callAs } from '@roster/testing';

const running = contactsFor(test, { batchLockMs: 60_000 });
const ids = new IdClock();

/** What distinguishes two credentials of one workspace. */
const pairs = {
  'API keys of two users': () => [{}, {}],
  'API keys of one user': () => [{ userId }, { userId }],
  'a browser token and its API key': () => [
    { userId, keyId, ...tokenOf() },
    { userId, keyId },
  ],
  'browser tokens of one API key': () => [0, 1].map(() => ({ userId, keyId, ...tokenOf() })),
} satisfies Record<string, () => Partial<Caller>[]>;

const userId = encodeId('user', ids.next());
const keyId = encodeId('key', ids.next());
const tokenOf = () => ({ token: { readOnly: false, operations: null }, tokenId: ids.next() });

function newSenders(pair: keyof typeof pairs): Workspace[] {
  const senders = pairs[pair]().map((credential) => {
    const sender = newWorkspace(running().bus);
    Object.assign(sender.caller, credential);
    return sender;
  });
  for (const { caller } of senders) caller.workspaceId = senders[0]!.id;
  return senders;
}

/** Writes with one credential, each with a key of its own. */
const writesOf = (sender: Workspace, n: number, contactId: string) => ({
  'contacts.create': () =>
    sender.attempt('contacts.create', { email: `created-${n}@example.com` }, 'create'),
  'contacts.create with a new property': () =>
    sender.attempt(
      'contacts.create',
      { email: `defining-${n}@example.com`, properties: { [`name${n}`]: 'x' } },
      'define',
    ),
  'contacts.upsert': () =>
    sender.attempt('contacts.upsert', { email: `upserted-${n}@example.com` }, 'upsert'),
  'contacts.update': () => sender.attempt('contacts.update', { contactId, name: 'New' }, 'update'),
  'contact-properties.create': () =>
    sender.attempt('contact-properties.create', { name: `city${n}`, label: 'City' }, 'property'),
});

const operations = Object.keys(writesOf({} as Workspace, 0, ''));

for (const pair of Object.keys(pairs) as (keyof typeof pairs)[])
  for (const operation of operations)
    test(`simultaneous requests with one Idempotency-Key are both applied, and each gets its own response again: ${operation} with ${pair}`, async (t) => {
      const senders = newSenders(pair);
      const contacts = await Promise.all(
        senders.map((sender, n) => create(sender, `contact-${n}@example.com`)),
      );
      const send = () =>
        Promise.all(
          senders.map((sender, n) => {
            const writes = writesOf(sender, n, contacts[n]!.contact.id);
            return writes[operation as keyof typeof writes]();
          }),
        );
      const first = await send();
      t.deepEqual(first.map(codeOf), ['ok', 'ok']);
      t.deepEqual(await send(), first);
      t.deepEqual(
        senders.map((sender) => sender.replays()),
        [1, 1],
      );
    });

test('requests with one Idempotency-Key and two credentials to two processes are all applied', async (t) => {
  const workspaceId = encodeId('workspace', ids.next());
  const senders = await Promise.all(
    [1, 2].map(async () => ({
      caller: { workspaceId, userId, keyId: encodeId('key', ids.next()) },
      replica: handlers(serviceOn(await openReplica(t, running()))),
    })),
  );
  const send = (n: number) =>
    Promise.all(
      senders.map(async ({ caller, replica }, sender) => {
        const input = { email: `${n}-${sender}@example.com`, name: '', tags: [], properties: {} };
        const call = { ...callAs(caller, { idempotencyKey: `key-${n}` }), input };
        let answer;
        // The client sends a call again whose workspace was locked.
        do [answer] = await replica['contacts.create']([call]);
        while (codeOf(answer) === 'unavailable');
        return codeOf(answer);
      }),
    );
  for (let n = 0; n < 50; n += 1) t.deepEqual(await send(n), ['ok', 'ok']);
});

test('a request waits for one of another user with its key in a process of the former release, which locks only the stored key, and is then applied', async (t) => {
  const [user, colleague] = newSenders('API keys of two users') as [Workspace, Workspace];
  const { contact } = await create(user, 'a@example.com');
  const keys = ['create', 'update'];
  const { release } = await storedKeys(t, running(), user, keys);
  const send = () =>
    Promise.all([
      colleague.attempt('contacts.create', { email: 'b@example.com' }, 'create'),
      colleague.attempt('contacts.update', { contactId: contact.id, name: 'New' }, 'update'),
    ]);
  const outcomes = send();
  await release();
  const first = await outcomes;
  t.deepEqual(first.map(codeOf), ['ok', 'ok']);
  t.deepEqual(await send(), first);
  t.is(colleague.replays(), 2);
});

test('a response that the former release stored for a user is returned to the API key that repeats the request', async (t) => {
  const [sender] = newSenders('API keys of one user') as [Workspace];
  const send = () => sender.attempt('contacts.create', { email: 'a@example.com' }, 'key');
  const first = await send();
  await running().database.query(
    {
      name: 'test.forget-credential',
      text: 'update contacts.idempotency_keys set credential = null where workspace_id = $1',
    },
    [uuidOf('workspace', sender.id)],
  );
  t.deepEqual(await send(), first);
  t.is(sender.replays(), 1);
});
