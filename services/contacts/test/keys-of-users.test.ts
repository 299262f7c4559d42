import { encodeId } from '@roster/contracts';
import { IdClock } from '@roster/service';
import test from 'ava';
import { handlers } from '../handlers.js';
import { openReplica, storedKeys } from './other-processes.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';
import { serviceOn } from './service-on.js';
import { callAs } from '@roster/testing';

const running = contactsFor(test);
const ids = new IdClock();

/** Two users of one workspace. */
function newUsers(): [Workspace, Workspace] {
  const [user, colleague] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  colleague.caller.workspaceId = user.id;
  return [user, colleague];
}

/** Writes of one user, all with the same key. */
const writesOf = (user: Workspace, n: number, contactId: string) => ({
  'contacts.create': () =>
    user.attempt('contacts.create', { email: `created-${n}@example.com` }, 'create'),
  'contacts.create with a new property': () =>
    user.attempt(
      'contacts.create',
      { email: `defining-${n}@example.com`, properties: { [`name${n}`]: 'x' } },
      'define',
    ),
  'contacts.upsert': () =>
    user.attempt('contacts.upsert', { email: `upserted-${n}@example.com` }, 'upsert'),
  'contacts.update': () => user.attempt('contacts.update', { contactId, name: 'New' }, 'update'),
  'contact-properties.create': () =>
    user.attempt('contact-properties.create', { name: `city${n}`, label: 'City' }, 'property'),
});

for (const operation of Object.keys(writesOf({} as Workspace, 0, '')))
  test(`simultaneous requests of two users with one key are both applied, and each user gets its own response again: ${operation}`, async (t) => {
    const users = newUsers();
    const contacts = await Promise.all(
      users.map((user, n) => create(user, `contact-${n}@example.com`)),
    );
    const send = () =>
      Promise.all(
        users.map((user, n) => {
          const writes = writesOf(user, n, contacts[n]!.contact.id);
          return writes[operation as keyof typeof writes]();
        }),
      );
    const first = await send();
    t.deepEqual(first.map(codeOf), ['ok', 'ok']);
    t.deepEqual(await send(), first);
    t.deepEqual(
      users.map((user) => user.replays()),
      [1, 1],
    );
  });

test('requests of two users with one key to two processes are all applied', async (t) => {
  const [{ id: workspaceId }] = newUsers();
  const users = await Promise.all(
    [1, 2].map(async () => ({
      caller: { workspaceId, userId: encodeId('user', ids.next()) },
      replica: handlers(serviceOn(await openReplica(t, running()))),
    })),
  );
  const send = (n: number) =>
    Promise.all(
      users.map(async ({ caller, replica }, user) => {
        const input = { email: `${n}-${user}@example.com`, name: '', tags: [], properties: {} };
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

test('a request waits for one of another user with its key in a process of the previous release, which locks only the stored key, and is then applied', async (t) => {
  const [user, colleague] = newUsers();
  const { contact } = await create(user, 'a@example.com');
  const keys = ['create', 'update'];
  const { release } = await storedKeys(t, running(), user, keys, user.caller.userId);
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
