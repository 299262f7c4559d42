import type { Json } from '@roster/bus';
import { operations, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { sqlOf } from '@roster/storage';
import { callAs } from '@roster/testing';
import test from 'ava';
import { CountTags } from '../migrations/2026-11-28-tag-counters.js';
import { findContacts } from '../operations/contacts/find-contacts.js';
import { searchLimits } from '../reading/search.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';
import { ended, startRunner, upload } from './imports/running-imports.js';

const running = contactsFor(test, { poolMax: 8 });

const run = <Row = object>(text: string, values: unknown[] = []) =>
  running().database.query<Row>({ name: text, text }, values);

interface Counted {
  tag: string;
  contacts: number;
}

/** What contacts have, counted one by one. */
const naive = (workspaceId: string) =>
  run<Counted>(
    `select tag, count(*)::float8 as contacts
     from contacts.contacts c,
       lateral (select jsonb_array_elements_text(tags) union all select '' where status = 'unsubscribed') t (tag)
     where workspace_id = $1 group by tag order by tag collate "C"`,
    [uuidOf('workspace', workspaceId)],
  );
const stored = (workspaceId: string) =>
  run<Counted>(
    `select tag, contacts::float8 from contacts.tag_counters where workspace_id = $1 order by tag`,
    [uuidOf('workspace', workspaceId)],
  );

const tagsOf = async (workspace: Workspace, input: object = {}) =>
  (await workspace.call('tags.list', input)).tags.map(
    ({ name, contacts }) => `${name} ${contacts}`,
  );

test.serial(
  'tags are counted by every write, distinguish cases, and end with their last contact',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const stranger = newWorkspace(running().bus);
    startRunner(t, running().service);
    t.deepEqual(await tagsOf(workspace), []);
    const a = (await create(workspace, 'a@example.com', { tags: ['vip', 'VIP', 'ä'] })).contact;
    const b = (await create(workspace, 'b@example.com', { tags: ['vip'] })).contact;
    await create(stranger, 'a@example.com', { tags: ['other'] });
    t.deepEqual(await tagsOf(workspace), ['VIP 1', 'vip 2', 'ä 1']);
    await workspace.call('contacts.update', { contactId: b.id, tags: ['new', 'VIP'] });
    await workspace.call('contacts.update', { contactId: b.id, name: 'B' });
    await workspace.call('contacts.unsubscribe', { contactId: b.id });
    t.deepEqual(await tagsOf(workspace), ['VIP 2', 'new 1', 'vip 1', 'ä 1']);
    await workspace.call('contacts.batch', {
      operations: [
        { action: 'create', email: 'c@example.com', tags: ['c', 'vip'], status: 'unsubscribed' },
        { action: 'upsert', email: 'd@example.com', addTags: ['d', 'vip'] },
        { action: 'update', id: b.id, removeTags: ['new'], addTags: ['vip'] },
        { action: 'create', email: 'a@example.com', tags: ['refused'] },
      ],
    });
    const importId = await upload(workspace, [
      { email: 'a@example.com', removeTags: ['ä'] },
      { email: 'e@example.com', addTags: ['vip'] },
    ]);
    await ended(workspace, importId);
    t.deepEqual(await tagsOf(workspace), ['VIP 2', 'c 1', 'd 1', 'vip 5']);
    await workspace.call('contacts.delete', { contactId: a.id });
    t.deepEqual(await tagsOf(workspace), ['VIP 1', 'c 1', 'd 1', 'vip 4']);
    t.deepEqual(await tagsOf(stranger), ['other 1']);
    // As 0.2.0, which knows no counters.
    await run(`update contacts.contacts set tags = '["vip"]' where workspace_id = $1`, [
      uuidOf('workspace', workspace.id),
    ]);
    t.deepEqual(await tagsOf(workspace), ['vip 4']);
    t.deepEqual(await stored(workspace.id), await naive(workspace.id));
  },
);

test.serial('tags are read by pages and by their beginnings', async (t) => {
  const workspace = newWorkspace(running().bus);
  const names = ['a', 'vi', 'vip', 'vip%', 'viq', 'w_', '\u{10FFFF}', '"', '日本'];
  await create(workspace, 'a@example.com', { tags: names });
  const inOrder = names.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
  const read: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await workspace.call('tags.list', { limit: 2, ...(after && { after }) });
    read.push(...page.tags.map(({ name }) => name));
    after = page.pagination.next;
  } while (after !== null);
  t.deepEqual(read, inOrder);
  t.deepEqual(await tagsOf(workspace, { prefix: 'vip' }), ['vip 1', 'vip% 1']);
  t.deepEqual(await tagsOf(workspace, { prefix: 'VIP' }), []);
  t.deepEqual(await tagsOf(workspace, { prefix: '日' }), ['日本 1']);
  for (const wrong of ['=', '.'])
    t.is(codeOf(await workspace.attempt('tags.list', { after: wrong })), 'invalid', wrong);
});

test.serial(
  'the total of a list with one tag or a status is exact, however many match',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    for (let n = 0; n < 12; n += 1)
      await create(workspace, `${n}@example.com`, {
        tags: n % 4 === 0 ? ['rare', 'often'] : ['often'],
        status: n % 3 === 0 ? 'unsubscribed' : 'subscribed',
      });
    const totalOf = async (input: object) => {
      const find = findContacts(running().service, {
        ...searchLimits,
        counted: 2,
        firstRows: 1,
        rows: 3,
      });
      const parsed = operations['contacts.find'].input.parse({ limit: 1, ...input });
      const [answer] = await find([{ ...callAs({ workspaceId: workspace.id }), input: parsed }]);
      const { pagination } = JSON.parse((answer as Json).text) as OutputOf<
        Operations['contacts.find']
      >;
      t.is(pagination.totalIsEstimate, undefined);
      return pagination.total;
    };
    t.is(await totalOf({ tag: ['often'] }), 12);
    t.is(await totalOf({ tag: ['rare'], sort: '-createdAt' }), 3);
    t.is(await totalOf({ tag: ['none'] }), 0);
    t.is(await totalOf({ status: 'unsubscribed' }), 4);
    t.is(await totalOf({ status: 'not:unsubscribed' }), 8);
  },
);

test.serial(
  'the migration counts the contacts that exist beside writers, and can be repeated',
  async (t) => {
    const workspaces = Array.from({ length: 2 }, () => newWorkspace(running().bus).id);
    const rows = async (workspaceId: string, count: number) =>
      run(
        `insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, status, created_at)
       select $1, id, id, id, '', case n % 3 when 0 then '[]' else jsonb_build_array('t' || n % 7, 'all') end, '{}',
         case n % 5 when 0 then 'unsubscribed' else 'subscribed' end, now()
       from generate_series(1, $2) n, lateral (select gen_random_uuid() as id where n > 0) i`,
        [uuidOf('workspace', workspaceId), count],
      );
    // As before the migration.
    for (const name of ['counted_in', 'counted_out', 'recounted'])
      await run(`drop trigger contacts_tags_${name} on contacts.contacts`);
    await run('truncate contacts.tag_counters');
    await rows(workspaces[0]!, 12_000);
    await rows(workspaces[1]!, 50);
    const migrating = { isOver: false };
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !migrating.isOver || n < 20; n += 1) {
        const id = workspaces[n % 2]!;
        const change = `where workspace_id = $1 and id in (select id from contacts.contacts where workspace_id = $1 order by md5(id::text || '${writer} ${n}') limit 20)`;
        const values = [uuidOf('workspace', id)];
        await rows(id, 20);
        await run(
          `update contacts.contacts set tags = '["new", "all"]', status = 'unsubscribed' ${change}`,
          values,
        ).catch(ignored);
        await run(`delete from contacts.contacts ${change}`, values).catch(ignored);
      }
    });
    const { statements } = await sqlOf({ name: 'tag-counters', class: CountTags });
    for (const statement of statements) await running().database.em.execute(statement);
    migrating.isOver = true;
    await Promise.all(writers);
    for (const id of workspaces) {
      t.deepEqual(await stored(id), await naive(id));
      t.true((await stored(id)).length > 7);
    }
    for (const statement of statements) await running().database.em.execute(statement);
    for (const id of workspaces) t.deepEqual(await stored(id), await naive(id));
  },
);

/** Two writers of 0.2.0 can wait for each other: one of them is rolled back. */
const ignored = () => undefined;
