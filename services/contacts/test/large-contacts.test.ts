import { uuidOf } from '@roster/contracts';
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

test('pages of the largest contacts are complete', async (t) => {
  const first = await large.call('contacts.list', { limit: contactsMax });
  t.deepEqual(idsIn(first), ids.slice(0, contactsMax));
  const { next, ...counted } = first.pagination;
  t.deepEqual(counted, { total: ids.length, limit: contactsMax, offset: 0 });
  const last = await large.call('contacts.list', { limit: contactsMax, after: next! });
  t.deepEqual(idsIn(last), ids.slice(contactsMax));
  t.is(last.pagination.next, null);
  const skipped = await large.call('contacts.list', { limit: contactsMax, offset: surplus });
  t.deepEqual(idsIn(skipped), ids.slice(surplus));
});

test('pages from both ends are complete', async (t) => {
  const request = { limit: contactsMax, fromEnd: true, counted: true };
  const end = await large.call('contacts.page', request);
  t.deepEqual(idsIn(end), ids.slice(surplus));
  t.like(end, { hasPrevious: true, hasNext: false, total: ids.length });
  const start = await large.call('contacts.page', { ...request, fromEnd: false, counted: false });
  t.deepEqual(idsIn(start), ids.slice(0, contactsMax));
  t.like(start, { hasPrevious: false, hasNext: true, total: null });
});

test('small calls of other workspaces in the same batch are answered, and read no page of the large workspace', async (t) => {
  const other = newWorkspace(running.bus);
  const { contact } = await create(other, 'a@example.com');
  const before = running.batches.length;
  const lists = [large, other, large, other, large].map((workspace) =>
    workspace.call('contacts.list', { limit: contactsMax }),
  );
  const [one, own, two, again, three] = await Promise.all(lists);
  for (const page of [one, two, three]) t.deepEqual(idsIn(page!), ids.slice(0, contactsMax));
  for (const page of [own, again])
    t.deepEqual(
      page!.contacts.map(({ id }) => id),
      [contact.id],
    );
  const sizes = running.batches.slice(before).map(({ calls }) => calls);
  t.true(
    sizes.some((calls) => calls > 1),
    'some calls shared a batch',
  );
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
