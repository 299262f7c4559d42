import { encodeId, Fault, operations, systemCaller, type OperationName } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { randomBytes, randomUUID } from 'node:crypto';
import { isUndo, undoOf } from '../reading/unsubscribe-token.js';
import {
  codeOf,
  contactsFor,
  create,
  kindsOf,
  newWorkspace,
  publicUrl,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);
const include = ['unsubscribeUrl' as const];
const ids = new IdClock();

const workspaceOf = () => newWorkspace(running().bus);

const urlOf = async (workspace: Workspace, contactId: string) =>
  (await workspace.call('contacts.get', { contactId, include })).contact.unsubscribeUrl!;

const tokenIn = (url: string) => url.slice(`${publicUrl}/unsubscribe/`.length);

/** Calls without a workspace, as the gateway makes them. */
const callWith = <Name extends OperationName & `unsubscribe-links.${string}`>(
  name: Name,
  token: string,
  undo?: string,
) =>
  running()
    .bus.call(
      name,
      operations[name].input.parse({ token, ...(undo !== undefined && { undo }) }) as never,
      {
        caller: systemCaller,
        requestId: 'test',
        deadline: Date.now() + 60_000,
      },
    )
    .catch((error: unknown) => {
      if (error instanceof Fault) return error;
      throw error;
    });

const use = (token: string) => callWith('unsubscribe-links.use', token);
const get = (token: string) => callWith('unsubscribe-links.get', token);
const undo = (token: string, text: string) => callWith('unsubscribe-links.undo', token, text);

test('contacts have the same address in every list that includes it, and none without the request', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com', { tags: ['vip'] });
  const url = await urlOf(workspace, contact.id);
  t.regex(url, /^https:\/\/contacts\.example\.com\/unsubscribe\/[\w-]{64}$/);
  const list = await workspace.call('contacts.list', { include });
  const found = await workspace.call('contacts.find', { limit: 5, tag: ['vip'], include });
  t.deepEqual(
    [list.contacts, found.contacts].map((some) => some.map((one) => one.unsubscribeUrl)),
    [[url], [url]],
  );
  const plain = await workspace.call('contacts.get', { contactId: contact.id });
  t.deepEqual(plain.contact, contact);
  t.deepEqual((await workspace.call('contacts.list', {})).contacts, [contact]);
});

test('using a link unsubscribes its contact once, with one event, however often and however simultaneously', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com');
  const token = tokenIn(await urlOf(workspace, contact.id));
  const { id: workspaceId } = workspace;
  t.deepEqual(await get(token), { status: 'subscribed', workspaceId });
  const all = await Promise.all(Array.from({ length: 8 }, () => use(token)));
  for (const one of all) t.like(one, { status: 'unsubscribed', workspaceId });
  t.deepEqual(await use(token), { status: 'unsubscribed', workspaceId });
  t.deepEqual(await get(token), { status: 'unsubscribed', workspaceId });
  const stored = await workspace.call('contacts.get', { contactId: contact.id });
  t.is(stored.contact.status, 'unsubscribed');
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_UNSUBSCRIBED']);
});

test('the use of a link can be undone with the text that it returned, with one event, and with no other', async (t) => {
  const workspace = workspaceOf();
  const [one, other] = await Promise.all(
    ['ada@example.com', 'emmy@example.com'].map(async (email) => {
      const { contact } = await create(workspace, email);
      return { id: contact.id, token: tokenIn(await urlOf(workspace, contact.id)) };
    }),
  );
  const textOf = async (token: string) => ((await use(token)) as { undo: string }).undo;
  const [text, otherText] = [await textOf(one!.token), await textOf(other!.token)];
  const [expiry, digest] = text.split('.');
  for (const wrong of [
    '',
    'x',
    otherText,
    `${Number(expiry) + 1}.${digest}`,
    `${expiry}.${'A'.repeat(22)}`,
    one!.token,
  ])
    t.is(codeOf(await undo(one!.token, wrong)), 'conflict', wrong);
  t.is(codeOf(await undo('a'.repeat(64), text)), 'not_found');
  const statusOf = async (contactId: string) =>
    (await workspace.call('contacts.get', { contactId })).contact.status;
  t.is(await statusOf(one!.id), 'unsubscribed');

  t.like(await undo(one!.token, text), { status: 'subscribed' });
  t.like(await undo(one!.token, text), { status: 'subscribed' });
  t.is(await statusOf(one!.id), 'subscribed');
  t.is(await statusOf(other!.id), 'unsubscribed');
  const kinds = await kindsOf(running(), workspace);
  t.is(kinds.filter((kind) => kind === 'CONTACT_RESUBSCRIBED').length, 1);
});

test('the text that undoes one unsubscription undoes no later one, whoever made it', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com');
  const token = tokenIn(await urlOf(workspace, contact.id));
  const { undo: text } = (await use(token)) as { undo: string };
  const statusNow = async () =>
    (await workspace.call('contacts.get', { contactId: contact.id })).contact.status;
  t.like(await undo(token, text), { status: 'subscribed' });
  await use(token);
  t.is(codeOf(await undo(token, text)), 'conflict');
  t.is(await statusNow(), 'unsubscribed');
  await workspace.call('contacts.resubscribe', { contactId: contact.id });
  await workspace.call('contacts.unsubscribe', { contactId: contact.id });
  t.is(codeOf(await undo(token, text)), 'conflict');
  t.is(await statusNow(), 'unsubscribed');
});

test('a use can be undone for 15 minutes', (t) => {
  const token = { workspaceId: randomUUID(), contactId: randomUUID(), version: 7 };
  const key = randomBytes(32);
  const now = Date.parse('2026-01-31T09:00:00Z');
  const text = undoOf(token, key, now);
  t.true(isUndo(text, token, key, now + 15 * 60_000 - 1));
  t.false(isUndo(text, token, key, now + 15 * 60_000));
  t.false(isUndo(text, token, randomBytes(32), now));
  t.false(isUndo(text, { ...token, contactId: randomUUID() }, key, now));
  t.false(isUndo(text, { ...token, version: 8 }, key, now));
});

test('looking at a link changes nothing', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com');
  const token = tokenIn(await urlOf(workspace, contact.id));
  await get(token);
  const stored = await workspace.call('contacts.get', { contactId: contact.id });
  t.is(stored.contact.status, 'subscribed');
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
});

test('a link ends with its contact, also if another contact gets the address', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com');
  const token = tokenIn(await urlOf(workspace, contact.id));
  await workspace.call('contacts.delete', { contactId: contact.id });
  const { contact: next } = await create(workspace, 'ada@example.com');
  t.is(codeOf(await get(token)), 'not_found');
  t.is(codeOf(await use(token)), 'not_found');
  const stored = await workspace.call('contacts.get', { contactId: next.id });
  t.is(stored.contact.status, 'subscribed');
});

test('malformed, altered and foreign tokens, and those of deleted contacts, have the same answer', async (t) => {
  const [workspace, other] = [workspaceOf(), workspaceOf()];
  const { contact } = await create(workspace, 'ada@example.com');
  const { contact: deleted } = await create(workspace, 'gone@example.com');
  const { contact: foreign } = await create(other, 'ada@example.com');
  const bytes = Buffer.from(tokenIn(await urlOf(workspace, contact.id)), 'base64url');
  const foreignBytes = Buffer.from(tokenIn(await urlOf(other, foreign.id)), 'base64url');
  const deletedToken = tokenIn(await urlOf(workspace, deleted.id));
  await workspace.call('contacts.delete', { contactId: deleted.id });
  const altered = (at: number) => {
    const copy = Buffer.from(bytes);
    copy[at]! ^= 1;
    return copy.toString('base64url');
  };
  const tokens = [
    '',
    'x',
    'a'.repeat(64),
    `${bytes.toString('base64url')}a`,
    deletedToken,
    altered(0),
    altered(16),
    altered(32),
    altered(47),
    // The contact of one workspace with the workspace of another, and the digest of either.
    Buffer.concat([foreignBytes.subarray(0, 16), bytes.subarray(16)]).toString('base64url'),
    Buffer.concat([
      bytes.subarray(0, 16),
      foreignBytes.subarray(16, 32),
      bytes.subarray(32),
    ]).toString('base64url'),
  ];
  for (const token of tokens)
    for (const answer of [await get(token), await use(token)]) {
      t.true(answer instanceof Fault, token);
      const { code, message, details } = answer as Fault;
      t.deepEqual([code, message, details], ['not_found', 'No such unsubscribe link.', {}], token);
    }
  t.deepEqual(await kindsOf(running(), other), ['CONTACT_CREATED']);
});

test('one unknown link does not refuse the others of its batch', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com');
  const token = tokenIn(await urlOf(workspace, contact.id));
  const answers = await Promise.all([use('unknown'), use(token), use('a'.repeat(64))]);
  t.deepEqual(answers.map(codeOf), ['not_found', 'ok', 'not_found']);
});

test('the key of a workspace is made once, also by simultaneous requests', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com');
  const urls = await Promise.all(Array.from({ length: 20 }, () => urlOf(workspace, contact.id)));
  t.is(new Set(urls).size, 1);
});

test('contacts that do not exist have no address', async (t) => {
  const contactId = encodeId('contact', ids.next());
  t.is(codeOf(await workspaceOf().attempt('contacts.get', { contactId, include })), 'not_found');
});

test('browser tokens that do not allow to unsubscribe contacts get no address that does', async (t) => {
  const workspace = workspaceOf();
  const { contact } = await create(workspace, 'ada@example.com');
  const urlWith = async (token: { readOnly: boolean; operations: string[] | null }) => {
    const caller = { ...workspace.caller, token };
    const input = operations['contacts.get'].input.parse({ contactId: contact.id, include });
    const context = { caller, requestId: 'test', deadline: Date.now() + 60_000 };
    return (await running().bus.call('contacts.get', input, context)).contact.unsubscribeUrl;
  };
  t.is(await urlWith({ readOnly: true, operations: null }), null);
  t.is(await urlWith({ readOnly: false, operations: ['contacts.get'] }), null);
  const url = await urlOf(workspace, contact.id);
  t.is(await urlWith({ readOnly: false, operations: null }), url);
  t.is(
    await urlWith({ readOnly: false, operations: ['contacts.get', 'contacts.unsubscribe'] }),
    url,
  );
});
