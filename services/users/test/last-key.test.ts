import { Fault, type Scope } from '@roster/contracts';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

test('of two keys that delete each other at the same moment, one is left, in 50 rounds', async (t) => {
  const owner = await makeWorkspace(bench());
  let last = { keyId: owner.keyId, apiKey: owner.apiKey };
  for (let round = 0; round < 50; round += 1) {
    const keys = [last, await makeKey(owner)] as const;
    const [one, other] = keys;
    const refusals = await Promise.all([
      refusalOf(remove({ ...owner, ...one }, other.keyId)),
      refusalOf(remove({ ...owner, ...other }, one.keyId)),
    ]);
    t.is(refusals.filter((code) => code === 'conflict').length, 1);
    t.true(refusals.includes(undefined));
    const [left, ...more] = await validOf(keys);
    t.truthy(left);
    t.deepEqual(more, []);
    last = left!;
  }
});

test('of a key and the user of the other key that are deleted at the same moment, one is left', async (t) => {
  const owner = await makeWorkspace(bench());
  let last = { keyId: owner.keyId, apiKey: owner.apiKey, userId: owner.userId };
  for (let round = 0; round < 20; round += 1) {
    const added = await addUser(owner, `user-${round}@example.com`);
    const keys = [last, added] as const;
    const caller = callAs({ ...owner, ...last });
    const refusals = await Promise.all([
      refusalOf(remove({ ...owner, ...added }, last.keyId)),
      refusalOf(bench().bus.call('users.delete', { userId: added.userId }, caller)),
    ]);
    t.is(refusals.filter((code) => code === undefined).length, 1);
    const [left, ...more] = await validOf(keys);
    t.truthy(left);
    t.deepEqual(more, []);
    last = left!;
  }
});

test('the last key with the scope user cannot be deleted, with or without other keys', async (t) => {
  const owner = await makeWorkspace(bench());
  const fault = await t.throwsAsync(remove(owner, owner.keyId), { code: 'conflict' });
  t.regex(fault.message, /No other API key with the scope user would remain valid/);
  await makeKey(owner, ['api_user']);
  await makeKey(owner, ['user'], Date.now() + 60_000);
  const revoked = await makeKey(owner);
  await bench().bus.call('keys.revoke', { keyId: revoked.keyId }, callAsSystem());
  await t.throwsAsync(remove(owner, owner.keyId), { code: 'conflict' });
  await t.notThrowsAsync(verify(bench(), owner.apiKey));
  await makeKey(owner, ['user'], Date.now() + 2 * 3_600_000);
  await t.notThrowsAsync(remove(owner, owner.keyId));
});

test('a key that expires within the hour is replaced by one that is valid as long, and a key without the scope by none', async (t) => {
  const owner = await makeWorkspace(bench());
  const soon = Date.now() + 60_000;
  const [one, other] = [await makeKey(owner, ['user'], soon), await makeKey(owner, ['user'], soon)];
  const plain = await makeKey(owner, ['api_user']);
  await bench().bus.call('keys.revoke', { keyId: owner.keyId }, callAsSystem());
  await t.notThrowsAsync(remove(owner, plain.keyId));
  await t.notThrowsAsync(remove(owner, one.keyId));
  await t.throwsAsync(remove(owner, other.keyId), { code: 'conflict' });
});

test('a user is not deleted by a key that expires within the hour if their key is the last that does not', async (t) => {
  const owner = await makeWorkspace(bench());
  const added = await addUser(owner, 'grace@example.com');
  const soon = await makeKey(owner, ['user'], Date.now() + 60_000);
  await bench().bus.call('keys.revoke', { keyId: owner.keyId }, callAsSystem());
  const caller = callAs({ ...owner, keyId: soon.keyId });
  const removal = () => bench().bus.call('users.delete', { userId: added.userId }, caller);
  await t.throwsAsync(removal(), { code: 'conflict' });
  await t.notThrowsAsync(verify(bench(), added.apiKey));
  await makeKey(owner);
  await t.notThrowsAsync(removal());
});

test('operators revoke the last key, and make another one', async (t) => {
  const owner = await makeWorkspace(bench());
  await bench().bus.call('keys.revoke', { keyId: owner.keyId }, callAsSystem());
  await t.throwsAsync(verify(bench(), owner.apiKey));
  await t.notThrowsAsync(verify(bench(), (await makeKey(owner)).apiKey));
});

const remove = (caller: Parameters<typeof callAs>[0], keyId: string) =>
  bench().bus.call('api-keys.delete', { keyId }, callAs(caller));

const makeKey = (
  { userId }: Pick<Workspace, 'userId'>,
  scopes: Scope[] = ['user'],
  expiresMs?: number,
) =>
  bench().bus.call(
    'keys.create',
    { userId, scopes, ...(expiresMs && { expiresAt: new Date(expiresMs).toISOString() }) },
    callAsSystem(),
  );

async function addUser(owner: Workspace, email: string) {
  const { user } = await bench().bus.call('users.create', { email, name: 'Grace' }, callAs(owner));
  return { ...(await makeKey({ userId: user.id })), userId: user.id };
}

/** Those of the keys that are valid. */
async function validOf<Key extends { apiKey: string }>(keys: readonly Key[]): Promise<Key[]> {
  const refusals = await Promise.all(keys.map(({ apiKey }) => refusalOf(verify(bench(), apiKey))));
  return keys.filter((_, at) => refusals[at] === undefined);
}

/** The code of a refusal; undefined if the call succeeds. Throws if it has not been decided. */
async function refusalOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof Fault && ['conflict', 'unauthenticated'].includes(error.code))
      return error.code;
    throw error;
  }
}
