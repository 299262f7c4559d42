import { uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import test from 'ava';
import {
  create,
  newWorkspace,
  runContacts,
  type RunningContacts,
  type Workspace,
} from './running-contacts.js';

let running: RunningContacts;
let large: Workspace;
/** IDs of its contacts, in their order. */
const ids: string[] = [];

const contactsMax = 100;
const surplus = 5;

test.before(async () => {
  running = await runContacts();
  large = newWorkspace(running.bus);
  for (let n = 0; n < contactsMax + surplus; n += 1)
    ids.push((await create(large, `${n}@example.com`)).contact.id);
  // Random digits are stored uncompressed, repeated characters in hundreds of bytes.
  await running.database.query(
    {
      name: 'test.enlarge',
      text: `update contacts.contacts c set properties = (
          select jsonb_object_agg('p' || p, case when c.email < '5' then repeat('v', 4000)
            else (select string_agg(md5(c.email || p || i), '') from generate_series(1, 125) i) end)
          from generate_series(1, 16) p
        ) where workspace_id = $1`,
    },
    [uuidOf('workspace', large.id)],
  );
});
test.after.always(() => running?.stop());

const idsIn = ({ contacts }: { contacts: { id: string; properties: object }[] }) => {
  for (const { properties } of contacts)
    if (Object.keys(properties).length !== 16) throw new Error('a contact is incomplete');
  return contacts.map(({ id }) => id);
};

/** The largest page that fits into one NATS message. */
const bytesMax = 1024 * 1024;

test('contacts of an earlier release make shorter pages, after which the list continues', async (t) => {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const page: OutputOf<Operations['contacts.list']> = await large.call('contacts.list', {
      limit: contactsMax,
      ...(after === null ? {} : { after }),
    });
    t.true(Buffer.byteLength(JSON.stringify(page)) < bytesMax);
    t.like(page.pagination, { total: ids.length, limit: contactsMax });
    found.push(...idsIn(page));
    after = page.pagination.next;
  } while (after !== null);
  t.deepEqual(found, ids);
  const skipped = await large.call('contacts.list', { limit: contactsMax, offset: surplus });
  t.is(idsIn(skipped)[0], ids[surplus]);
});

for (const sort of ['createdAt', '-createdAt', 'email'] as const)
  test(`a search in the order ${sort} continues after a shorter page`, async (t) => {
    const found: string[] = [];
    let after: string | null = null;
    do {
      const page: OutputOf<Operations['contacts.find']> = await large.call('contacts.find', {
        limit: contactsMax,
        sort,
        status: 'subscribed',
        ...(after === null ? {} : { after }),
      });
      t.true(Buffer.byteLength(JSON.stringify(page)) < bytesMax);
      found.push(...idsIn(page));
      after = page.pagination.next;
    } while (after !== null);
    t.is(found.length, ids.length);
    t.deepEqual(found.toSorted(), ids.toSorted());
  });

test('pages from both ends are those next to the end', async (t) => {
  const request = { limit: contactsMax, fromEnd: true, counted: true };
  const end = await large.call('contacts.page', request);
  t.deepEqual(idsIn(end), ids.slice(-end.contacts.length));
  t.like(end, { hasPrevious: true, hasNext: false, total: ids.length });
  const start = await large.call('contacts.page', { ...request, fromEnd: false, counted: false });
  t.deepEqual(idsIn(start), ids.slice(0, start.contacts.length));
  t.like(start, { hasPrevious: false, hasNext: true, total: null });
});

test('a page of 100 of the largest contacts is complete', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, '00@example.com', { properties: { a: '', b: '' } });
  const room = 10_000 - Buffer.byteLength(JSON.stringify(contact)) - 4000;
  const properties = { a: 'v'.repeat(4000), b: 'v'.repeat(room - 2000), c: 'v'.repeat(2000 - 7) };
  await workspace.call('contacts.delete', { contactId: contact.id });
  for (let n = 0; n < contactsMax; n += 1)
    await create(workspace, `${`${n}`.padStart(2, '0')}@example.com`, { properties });
  const page = await workspace.call('contacts.list', {
    limit: contactsMax,
    include: ['unsubscribeUrl'],
  });
  t.is(page.contacts.length, contactsMax);
});

test('many of the largest contacts can be read and changed at once', async (t) => {
  const read = await Promise.all(ids.map((contactId) => large.call('contacts.get', { contactId })));
  t.deepEqual(idsIn({ contacts: read.map(({ contact }) => contact) }), ids);
  const changed = await Promise.all(
    ids.map((contactId, n) => large.call('contacts.update', { contactId, name: `Contact ${n}` })),
  );
  t.deepEqual(
    changed.map(({ contact }) => contact.name),
    ids.map((_, n) => `Contact ${n}`),
  );
});
