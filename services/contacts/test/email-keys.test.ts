import { uuidOf } from '@roster/contracts';
import { sqlOf } from '@roster/storage';
import test from 'ava';
import { RewriteEmailKeys } from '../migrations/2026-11-27-email-keys.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

const run = (text: string, values: unknown[] = []) =>
  running().database.query<{ email: string; email_key: string }>({ name: text, text }, values);

/** As 0.2.0 writes them. */
const formerKeys = ({ id }: Workspace) =>
  run('update contacts.contacts set email_key = lower(email) where workspace_id = $1', [
    uuidOf('workspace', id),
  ]);

async function migrate() {
  const { statements } = await sqlOf({ name: 'email-keys', class: RewriteEmailKeys });
  for (const statement of statements) await run(statement);
}

async function keysOf({ id }: Workspace) {
  const rows = await run(
    'select email, email_key from contacts.contacts where workspace_id = $1 order by id',
    [uuidOf('workspace', id)],
  );
  return rows.map(({ email_key }) => email_key);
}

test('composed, decomposed and punycode forms are one contact, which shows the address as typed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'Jose\u0301@exämple.test');
  t.is(contact.email, 'Jose\u0301@exämple.test');
  for (const email of ['JOSÉ@EXÄMPLE.test', 'josé@xn--exmple-cua.test']) {
    const refused = await create(workspace, email).catch((error: unknown) => error);
    t.is(codeOf(refused), 'conflict', email);
    t.like(refused, { details: { existingId: contact.id } });
    const { contacts } = await workspace.call('contacts.find', { limit: 1, email });
    t.like(contacts, [{ id: contact.id }]);
    const { created } = await workspace.call('contacts.upsert', { email, name: 'José' });
    t.false(created);
  }
});

test.serial('the migration gives each address the key that the service computes', async (t) => {
  const workspace = newWorkspace(running().bus);
  for (const email of [
    'ada@example.com',
    'ada@xn--exmple-cua.test',
    'bob@XN--80AK6AA92E.xn--p1ai',
    'cy@xn--wgv71a.jp',
    'dee@xn--ls8h.la',
    'eve@a.xn--fa-hia.de',
    'fay@xn--mgbh0fb.xn--kgbechtv',
    'gus@x.xn--fiqs8s',
    'xn--hal@example.com',
    'jose\u0301@example.com',
    'οδυσσευς@exa\u0308mple.test',
    'straße@xn--2-7sbbaa6agfhidefz.xn--p1ai',
    'ſµϐ@example.com',
    'ivy@ｅｘample.com',
  ])
    await create(workspace, email);
  const computed = await keysOf(workspace);
  await formerKeys(workspace);
  t.notDeepEqual(await keysOf(workspace), computed);
  for (let time = 0; time < 2; time += 1) {
    await migrate();
    t.deepEqual(await keysOf(workspace), computed);
  }
});

test.serial(
  'of addresses that become equal one has the key, and the others are listed by it',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const { contact: oldest } = await create(workspace, 'ada@xn--exmple-cua.test');
    await create(workspace, 'ada@exb.com');
    const twin = async (email: string, key: string) => {
      const { contact } = await create(workspace, `${Math.random()}@example.com`);
      await run(
        'update contacts.contacts set email = $3, email_key = $4 where workspace_id = $1 and id = $2',
        [...[uuidOf('workspace', workspace.id), uuidOf('contact', contact.id), email, key]],
      );
      return contact.id;
    };
    await formerKeys(workspace);
    const newer = await twin('ada@exa\u0308mple.test', 'ada@exa\u0308mple.test');
    const other = await twin('ada@exämple.xn--p1ai', 'ada@exämple.xn--p1ai');
    const has = await twin('ada@exämple.рф', 'ada@exämple.рф');
    await migrate();
    const ids = async (email: string) => {
      const { contacts } = await workspace.call('contacts.find', { limit: 5, email });
      return contacts.map(({ id }) => id);
    };
    t.deepEqual(await ids('ada@exämple.test'), [oldest.id], 'the oldest');
    t.deepEqual(await ids('ada@exämple.рф'), [has], 'the one that has the key');
    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null && seen.length < 10;) {
      const page = await workspace.call('contacts.find', {
        ...{ limit: 1, sort: 'email' as const },
        ...(after && { after }),
      });
      seen.push(...page.contacts.map(({ id }) => id));
      after = page.pagination.next;
    }
    t.is(seen.length, new Set(seen).size);
    t.true([newer, other, has, oldest.id].every((id) => seen.includes(id)));
  },
);
