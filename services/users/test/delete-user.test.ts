import { randomUUID } from 'node:crypto';
import { encodeId, operations, uuidOf, versionOf } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

/** A further user of a workspace, with a key. */
async function addUser(owner: Workspace) {
  const { user } = await bench().bus.call(
    'users.create',
    { email: `${randomUUID()}@example.com`, name: 'Member' },
    callAs(owner),
  );
  const { keyId, apiKey } = await bench().bus.call(
    'keys.create',
    { userId: user.id, scopes: ['user'] },
    callAsSystem(),
  );
  return { user, apiKey, workspaceId: owner.workspaceId, userId: user.id, keyId };
}

const remove = (caller: Parameters<typeof callAs>[0], userId: string, ifMatch?: string[]) =>
  bench().bus.call('users.delete', { userId }, { ...callAs(caller), ...(ifMatch && { ifMatch }) });

test('lists the users of the workspace page by page, oldest first, and finds each', async (t) => {
  const [owner] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const added = [await addUser(owner), await addUser(owner)];
  const list = (input: { limit: number; after?: string }) =>
    bench().bus.call('users.list', input, callAs(owner));
  const first = await list({ limit: 2 });
  const second = await list({ limit: 2, after: first.pagination.next! });
  t.is(second.pagination.next, null);
  const all = [...first.users, ...second.users];
  t.deepEqual(
    all.map(({ id }) => id),
    [owner.userId, ...added.map(({ userId }) => userId)],
  );
  for (const user of all)
    t.deepEqual(await bench().bus.call('users.get', { userId: user.id }, callAs(owner)), { user });
  await t.throwsAsync(list({ limit: 1, after: 'x' }), { code: 'invalid' });
});

test('a deleted user is not found, their keys are refused and their gateways told, and other keys stay valid', async (t) => {
  const owner = await makeWorkspace(bench());
  const { userId, keyId, apiKey, user } = await addUser(owner);
  const heard: string[] = [];
  bench().bus.listen('keys.revoked', (key) => void heard.push(key.keyId));
  await bench().bus.link.nats.flush();
  t.deepEqual(await remove(owner, userId), { deleted: true });
  await eventually(() => heard.includes(keyId), { describe: 'the broadcast' });
  await t.throwsAsync(verify(bench(), apiKey), { code: 'unauthenticated' });
  const { workspaceId } = owner;
  const { valid } = await bench().bus.call('keys.check', { workspaceId, keyId }, callAsSystem());
  t.false(valid, 'its browser tokens end');
  await t.notThrowsAsync(verify(bench(), owner.apiKey));
  await t.throwsAsync(bench().bus.call('users.get', { userId }, callAs(owner)), {
    code: 'not_found',
  });
  await t.throwsAsync(remove(owner, userId), { code: 'not_found' });
  // The address can be used again.
  const again = { email: user.email, name: 'Again' };
  await t.notThrowsAsync(bench().bus.call('users.create', again, callAs(owner)));
});

test('records the user and each key in the audit log', async (t) => {
  const owner = await makeWorkspace(bench());
  const { userId, keyId, user } = await addUser(owner);
  await remove(owner, userId);
  const entriesOf = async (action: 'user.deleted' | 'api_key.deleted') =>
    (await bench().bus.call('audit-log.list', { limit: 10, action }, callAs(owner))).entries;
  const [deleted, ...others] = await entriesOf('user.deleted');
  t.is(others.length, 0);
  t.like(deleted, { actor: owner.userId, keyId: owner.keyId, resourceId: userId, after: null });
  t.deepEqual(deleted!.before, { email: user.email, name: user.name });
  t.deepEqual(
    (await entriesOf('api_key.deleted')).map(({ resourceId }) => resourceId),
    [keyId],
  );
});

test('a key that is being revoked when its user is deleted is not recorded as deleted a second time', async (t) => {
  const owner = await makeWorkspace(bench());
  const { userId, keyId } = await addUser(owner);
  let removal: Promise<unknown> | undefined;
  await bench().database.transaction(async (inner) => {
    await inner.query(revokeUnrecorded, [
      uuidOf('workspace', owner.workspaceId),
      uuidOf('key', keyId),
    ]);
    removal = remove(owner, userId);
    const isWaiting = async () => (await inner.query(waiting, [])).length > 0;
    await eventually(isWaiting, { describe: 'the deletion waits for the revocation' });
  });
  t.deepEqual(await removal, { deleted: true });
  const input = { limit: 10, action: 'api_key.deleted' } as const;
  t.deepEqual((await bench().bus.call('audit-log.list', input, callAs(owner))).entries, []);
});

/** Without the entry that the operation records. */
const revokeUnrecorded: Statement = {
  name: 'test.revoke',
  text: 'update users.api_keys set revoked_at = now() where workspace_id = $1 and id = $2',
};

/** Statements that wait for the end of this transaction. */
const waiting: Statement = {
  name: 'test.waiting',
  text: 'select 1 from pg_locks where not granted and transactionid = pg_current_xact_id()::xid',
};

test('a user cannot delete itself', async (t) => {
  const owner = await makeWorkspace(bench());
  await addUser(owner);
  await t.throwsAsync(remove(owner, owner.userId), { code: 'conflict' });
  await t.notThrowsAsync(verify(bench(), owner.apiKey));
});

test('of two users who delete each other at the same time, one is deleted', async (t) => {
  const owner = await makeWorkspace(bench());
  for (let round = 0; round < 5; round += 1) {
    const members = [await addUser(owner), await addUser(owner)] as const;
    const [first, second] = members;
    const outcomes = await Promise.allSettled([
      remove(first, second.userId),
      remove(second, first.userId),
    ]);
    t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const left = await Promise.allSettled(members.map(({ apiKey }) => verify(bench(), apiKey)));
    t.is(left.filter(({ status }) => status === 'fulfilled').length, 1);
  }
});

test('a key that is created for a user who is deleted at the same time is refused, or ends with the user', async (t) => {
  const owner = await makeWorkspace(bench());
  for (let round = 0; round < 5; round += 1) {
    const { userId } = await addUser(owner);
    const [created] = await Promise.allSettled([
      bench().bus.call('api-keys.create', { name: 'K', scopes: ['user'], userId }, callAs(owner)),
      remove(owner, userId),
    ]);
    if (created.status === 'rejected') t.like(created.reason, { code: 'invalid' });
    else await t.throwsAsync(verify(bench(), created.value.secret), { code: 'unauthenticated' });
  }
});

test('the requests of a deleted user that the gateway has let through are answered unauthenticated', async (t) => {
  const owner = await makeWorkspace(bench());
  const member = await addUser(owner);
  await remove(owner, member.userId);
  for (const call of [
    bench().bus.call('users.me', {}, callAs(member)),
    bench().bus.call('users.update-me', { name: 'Ghost' }, callAs(member)),
    remove(member, owner.userId),
  ])
    await t.throwsAsync(call, { code: 'unauthenticated' });
});

test('a user of another workspace is not found, and stays', async (t) => {
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const member = await addUser(other);
  await t.throwsAsync(remove(owner, member.userId), { code: 'not_found' });
  await t.throwsAsync(bench().bus.call('users.get', { userId: member.userId }, callAs(owner)), {
    code: 'not_found',
  });
  await t.throwsAsync(remove(owner, encodeId('user', randomUUID())), { code: 'not_found' });
  await t.notThrowsAsync(verify(bench(), member.apiKey));
});

test('deletes only the version in If-Match, whatever the last access', async (t) => {
  const owner = await makeWorkspace(bench());
  const member = await addUser(owner);
  const { user } = await bench().bus.call('users.me', {}, callAs(member));
  const version = (name: string) =>
    versionOf(operations['users.get'], JSON.stringify({ user: { ...user, name } }));
  await t.throwsAsync(remove(owner, member.userId, [version('Former')]), {
    code: 'precondition_failed',
  });
  await t.notThrowsAsync(verify(bench(), member.apiKey));
  await t.notThrowsAsync(remove(owner, member.userId, [version(user.name)]));
});
