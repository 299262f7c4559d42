import type { Call } from '@roster/bus';
import { encodeId, type AuditAction, type Operations, type OutputOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench } from './users-bench.js';

const bench = usersBench(test);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;
type Entry = OutputOf<Operations['audit-log.list']>['entries'][number];

const ids = new IdClock();
/** Entries that the other services return, by workspace. */
const ofOthers = {
  webhooks: new Map<string, Entry[]>(),
  contacts: new Map<string, Entry[]>(),
  dispatcher: new Map<string, Entry[]>(),
};
let stop: (() => Promise<void>)[] | undefined;
// Once: the service is open only after the other hooks.
test.beforeEach(() => {
  const listOf =
    (source: Map<string, Entry[]>) => (calls: Call<{ workspaceId: string; limit: number }>[]) =>
      Promise.resolve(
        calls.map(({ input: { workspaceId, limit } }) => {
          const all = source.get(workspaceId) ?? [];
          const next = all.length > limit ? 'more' : null;
          return { entries: all.slice(0, limit), pagination: { limit, next } };
        }),
      );
  const { bus } = bench();
  stop ??= (['webhooks', 'contacts', 'dispatcher'] as const).map((service) =>
    bus.serve(service, {
      [`${service}.audit-entries`]: listOf(ofOthers[service]),
    }),
  );
});

test('records who created a workspace, its user and its key', async (t) => {
  const owner = await makeWorkspace(bench());
  const [key, user] = await entriesOf(owner);
  t.like(user, {
    action: 'user.created',
    actor: null,
    actorType: 'operator',
    keyId: null,
    resourceId: owner.userId,
    before: null,
    after: { email: 'Ada@Example.com', name: 'Ada Lovelace' },
  });
  t.like(key, { action: 'api_key.created', actor: null, keyId: null });
});

test('records the life of a key with actor, key, address and request, and never a secret', async (t) => {
  const owner = await makeWorkspace(bench());
  const created = contextOf(owner);
  const { apiKey, secret } = await bench().bus.call(
    'api-keys.create',
    { name: 'Billing', scopes: ['user'] },
    created,
  );
  const input = { keyId: apiKey.id };
  const rotated = await bench().bus.call(
    'api-keys.rotate',
    { ...input, overlapSeconds: 60 },
    contextOf(owner),
  );
  await bench().bus.call('api-keys.delete', input, contextOf(owner));
  await bench().bus.call('api-keys.delete', input, contextOf(owner));
  const entries = await entriesOf(owner);
  t.deepEqual(actionsOf(entries), [
    'api_key.deleted',
    'api_key.rotated',
    'api_key.created',
    'api_key.created',
    'user.created',
  ]);
  const state = {
    name: 'Billing',
    scopes: ['user'],
    userId: owner.userId,
    prefix: apiKey.prefix,
    expiresAt: null,
  };
  const { id: _, createdAt: __, ...first } = entries[2]!;
  t.deepEqual(first, {
    action: 'api_key.created',
    actor: owner.userId,
    actorName: 'Ada Lovelace',
    actorType: 'user',
    keyId: owner.keyId,
    address: '203.0.113.7',
    requestId: created.requestId,
    resourceId: apiKey.id,
    before: null,
    after: state,
  });
  t.deepEqual(entries[1]!.before, state);
  t.deepEqual(entries[1]!.after, {
    ...state,
    prefix: rotated.apiKey.prefix,
    overlapSeconds: 60,
  });
  for (const one of [secret, rotated.secret])
    t.false(JSON.stringify(entries).includes(one.slice(10)));
});

test('records changes of users, and nothing for a call that changed nothing or was refused', async (t) => {
  const owner = await makeWorkspace(bench());
  const change = (name: string) => bench().bus.call('users.update-me', { name }, contextOf(owner));
  await change('Ada King');
  await change('Ada King');
  const input = { email: 'grace@example.com', name: 'Grace' };
  await bench().bus.call('users.create', input, contextOf(owner));
  await t.throwsAsync(bench().bus.call('users.create', input, contextOf(owner)));
  const entries = (await entriesOf(owner)).slice(0, -2);
  t.deepEqual(actionsOf(entries), ['user.created', 'user.updated']);
  t.like(entries[1], { before: { name: 'Ada Lovelace' }, after: { name: 'Ada King' } });
});

test('records what operators do with a key of the workspace', async (t) => {
  const owner = await makeWorkspace(bench());
  const { keyId: created } = await bench().bus.call(
    'keys.create',
    { userId: owner.userId, scopes: ['user'] },
    callAsSystem(),
  );
  await bench().bus.call('keys.rotate', { keyId: created, overlapSeconds: 0 }, callAsSystem());
  await bench().bus.call('keys.revoke', { keyId: created }, callAsSystem());
  const entries = (await entriesOf(owner)).slice(0, 3);
  t.deepEqual(actionsOf(entries), ['api_key.deleted', 'api_key.rotated', 'api_key.created']);
  t.true(
    entries.every((one) => one.resourceId === created && one.actor === null && one.keyId === null),
  );
});

test('selects entries by action, actor and time', async (t) => {
  const owner = await makeWorkspace(bench());
  const context = contextOf(owner);
  await bench().bus.call('users.update-me', { name: 'Ada King' }, context);
  const [last] = await entriesOf(owner);
  t.deepEqual(await entriesOf(owner, { action: 'user.updated' }), [last!]);
  t.deepEqual(await entriesOf(owner, { actor: owner.userId }), [last!]);
  t.deepEqual(actionsOf(await entriesOf(owner, { since: last!.createdAt })).slice(0, 1), [
    'user.updated',
  ]);
  const later = new Date(Date.parse(last!.createdAt) + 60_000).toISOString();
  t.deepEqual(await entriesOf(owner, { since: later }), []);
});

test('requests entries only from the service that records the requested action', async (t) => {
  const owner = await makeWorkspace(bench());
  const [entry] = await entriesOf(owner);
  ofOthers.webhooks.set(owner.workspaceId, [{ ...entry!, action: 'webhook.created' }]);
  ofOthers.contacts.set(owner.workspaceId, [{ ...entry!, action: 'import.created' }]);
  ofOthers.dispatcher.set(owner.workspaceId, [{ ...entry!, action: 'replay.created' }]);
  const actions = ['user.created', 'webhook.created', 'import.created', 'replay.created'] as const;
  for (const action of actions)
    t.deepEqual(actionsOf(await entriesOf(owner, { action })), [action]);
});

test('merges the entries of webhooks and imports, newest first, page by page, without gaps or repetitions', async (t) => {
  const owner = await makeWorkspace(bench());
  const change = (name: string) => bench().bus.call('users.update-me', { name }, contextOf(owner));
  await change('One');
  const older = (await entriesOf(owner))[0]!;
  const between = (action: AuditAction) => ({
    ...older,
    id: encodeId('auditEntry', ids.next()),
    action,
  });
  ofOthers.webhooks.set(owner.workspaceId, [between('webhook.created')]);
  ofOthers.contacts.set(owner.workspaceId, [between('import.created')]);
  await change('Two');
  const actions = ['user.updated', 'import.created', 'webhook.created', 'user.updated'];
  t.deepEqual(actionsOf(await entriesOf(owner)).slice(0, 4), actions);
  const first = await page(owner, { limit: 3 });
  t.deepEqual(actionsOf(first.entries), actions.slice(0, 3));
  for (const source of Object.values(ofOthers)) source.set(owner.workspaceId, []);
  const second = await page(owner, { limit: 2, after: first.pagination.next! });
  t.is(second.entries[0]!.id, older.id);
  const third = await page(owner, { limit: 2, after: second.pagination.next! });
  t.is(third.pagination.next, null);
  t.is(first.entries.length + second.entries.length + third.entries.length, 6);
});

test('returns no entry of another workspace, and rejects a malformed cursor', async (t) => {
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const own = await entriesOf(owner);
  const foreign = await entriesOf(other);
  t.is(own.length, 2);
  t.false(own.some(({ id }) => foreign.some((one) => one.id === id)));
  await t.throwsAsync(page(owner, { limit: 1, after: 'x' }), { code: 'invalid' });
});

test('names users as they are called now, also in entries of other services, and no deleted user', async (t) => {
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const add = async (name: string) => {
    const input = { email: `${name}@example.com`, name };
    const { user } = await bench().bus.call('users.create', input, contextOf(owner));
    return user.id;
  };
  const [grace, gone] = [await add('Grace'), await add('Gone')];
  const [entry] = await entriesOf(owner);
  const by = (actor: string | null) => ({
    ...entry!,
    id: encodeId('auditEntry', ids.next()),
    action: 'import.created',
    actor,
  });
  const all = [by(grace), by(gone), by(other.userId), by(owner.userId), by(null)];
  ofOthers.contacts.set(owner.workspaceId, all.toReversed());
  await bench().bus.call('users.delete', { userId: gone }, contextOf(owner));
  await bench().bus.call('users.update-me', { name: 'Ada King' }, contextOf(owner));
  const entries = await entriesOf(owner);
  const names = new Map(entries.map(({ id, actorName }) => [id, actorName]));
  t.deepEqual(
    all.map(({ id }) => names.get(id)),
    ['Grace', null, null, 'Ada King', null],
  );
});

const contextOf = (owner: Workspace) => ({
  ...callAs(owner),
  address: '203.0.113.7',
});

interface Filter {
  action?: AuditAction;
  actor?: string;
  since?: string;
}

const page = (owner: Workspace, input: Filter & { limit: number; after?: string }) =>
  bench().bus.call('audit-log.list', input, callAs(owner));

const entriesOf = async (owner: Workspace, filter: Filter = {}): Promise<Entry[]> =>
  (await page(owner, { limit: 100, ...filter })).entries;

const actionsOf = (entries: readonly Entry[]) => entries.map(({ action }) => action);
