import { Fault, uuidOf } from '@roster/contracts';
import test from 'ava';
import { codeOf, contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

test('pages by offset and by cursor in the order of creation, with the exact total on every page', async (t) => {
  const workspace = newWorkspace(running().bus);
  const emails = Array.from({ length: 23 }, (_, n) => `page${n}@example.com`);
  for (const email of emails) await create(workspace, email);
  const byOffset: string[] = [];
  for (let offset = 0; offset < 30; offset += 5) {
    const { contacts, pagination } = await workspace.call('contacts.list', { limit: 5, offset });
    t.like(pagination, { total: 23, limit: 5, offset });
    byOffset.push(...contacts.map(({ email }) => email));
  }
  t.deepEqual(byOffset, emails);
  const byCursor: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await workspace.call('contacts.list', {
      limit: 5,
      offset: 0,
      ...(after ? { after } : {}),
    });
    t.is(page.pagination.total, 23);
    byCursor.push(...page.contacts.map(({ email }) => email));
    after = page.pagination.next;
  } while (after !== null);
  t.deepEqual(byCursor, emails);
});

test('rejects an invalid cursor, and answers the other calls of the batch', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'a@example.com');
  const [bad, good] = await Promise.all([
    workspace.attempt('contacts.list', { limit: 5, offset: 0, after: 'nonsense' }),
    workspace.attempt('contacts.list', { limit: 5, offset: 0 }),
  ]);
  t.is(codeOf(bad), 'invalid');
  t.like(good, { pagination: { total: 1 } });
});

test('paging by cursor during creations skips no existing contact and repeats none', async (t) => {
  const workspace = newWorkspace(running().bus);
  let creating = true;
  const writers = Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 50; n += 1) await create(workspace, `w${writer}-${n}@example.com`);
    }),
  ).finally(() => (creating = false));
  const seen: string[] = [];
  let after: string | undefined;
  for (let last = false; !last;) {
    last = !creating;
    const page = await workspace.call('contacts.list', {
      limit: 7,
      offset: 0,
      ...(after ? { after } : {}),
    });
    seen.push(...page.contacts.map(({ id }) => id));
    const reached = page.contacts.at(-1)?.id;
    if (reached) after = reached.slice('cont_'.length);
    if (page.pagination.next) last = false;
  }
  await writers;
  t.is(seen.length, 200);
  t.deepEqual(seen, [...new Set(seen)].toSorted());
});

test('the total is exact after concurrent creations, deletions and rollbacks', async (t) => {
  const workspace = newWorkspace(running().bus);
  const created = await Promise.all(
    Array.from({ length: 120 }, (_, n) => create(workspace, `n${n}@example.com`)),
  );
  await Promise.all(
    created
      .slice(0, 50)
      .map(({ contact }) => workspace.call('contacts.delete', { contactId: contact.id })),
  );
  await running()
    .database.transaction(async (session) => {
      await session.query(
        { name: 'test.delete', text: 'delete from contacts.contacts where workspace_id = $1' },
        [uuidOf('workspace', workspace.id)],
      );
      throw new Fault('invalid', 'undo');
    })
    .catch(() => undefined);
  const { pagination } = await workspace.call('contacts.list', {});
  t.is(pagination.total, 70);
});
