import { randomBytes } from 'node:crypto';
import { uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import {
  callAs,
  callAsSystem,
  makeWorkspace,
  seenAgo,
  usersBench,
  verify,
  type UsersBench,
} from './users-bench.js';

const bench = usersBench(test);

test.serial('answers a batch of 200 hashes with one statement', async (t) => {
  const owners = await Promise.all(Array.from({ length: 4 }, () => makeWorkspace(bench())));
  const before = count(bench());
  const verified = await Promise.all(
    Array.from({ length: 200 }, (_, n) => verify(bench(), owners[n % 4]!.apiKey)),
  );
  t.is(count(bench()) - before, 1);
  t.deepEqual(
    verified.map(({ userId }) => userId),
    Array.from({ length: 200 }, (_, n) => owners[n % 4]!.userId),
  );
});

test.serial(
  'rejects unknown, revoked and expired keys alike, and verifies the other keys of the batch',
  async (t) => {
    const { userId, apiKey } = await makeWorkspace(bench());
    const revoked = await key(userId);
    await bench().bus.call('keys.revoke', { keyId: revoked.keyId }, callAsSystem());
    const expired = await key(userId, new Date(Date.now() - 1).toISOString());
    const unknown = randomBytes(16).toString('hex');
    const before = count(bench());
    const outcomes = await Promise.allSettled(
      [apiKey, unknown, revoked.apiKey, expired.apiKey, apiKey].map((requested) =>
        verify(bench(), requested),
      ),
    );
    t.is(count(bench()) - before, 1);
    t.deepEqual(
      outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value.userId : outcome.reason.toWire(),
      ),
      [userId, refusal, refusal, refusal, userId],
    );
  },
);

test('rejects a key from the time of its expiry', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const expiresAt = Date.now() + 2000;
  const { apiKey } = await key(userId, new Date(expiresAt).toISOString());
  const isRefused = () =>
    verify(bench(), apiKey).then(
      () => false,
      () => true,
    );
  t.true(!(await isRefused()) || Date.now() >= expiresAt);
  await eventually(isRefused, { describe: 'the expiry' });
  t.true(Date.now() >= expiresAt);
});

test('does not update a last access within the last 30 s', async (t) => {
  const { workspaceId, userId, apiKey } = await makeWorkspace(bench());
  await seenAgo(bench(), { userId: uuidOf('user', userId), seconds: 25 });
  const before = await lastAccess(workspaceId);
  await verify(bench(), apiKey);
  t.is(await lastAccess(workspaceId), before);
});

test('updates an earlier last access', async (t) => {
  const { workspaceId, userId, apiKey } = await makeWorkspace(bench());
  await seenAgo(bench(), { userId: uuidOf('user', userId), seconds: 31 });
  const now = Date.now();
  await Promise.all(Array.from({ length: 10 }, () => verify(bench(), apiKey)));
  t.true((await lastAccess(workspaceId)) >= now);
});

test('a rejected key does not count as an access', async (t) => {
  const { workspaceId, userId } = await makeWorkspace(bench());
  const revoked = await key(userId);
  await bench().bus.call('keys.revoke', { keyId: revoked.keyId }, callAsSystem());
  await seenAgo(bench(), { userId: uuidOf('user', userId), seconds: 3600 });
  const before = await lastAccess(workspaceId);
  await t.throwsAsync(verify(bench(), revoked.apiKey));
  t.is(await lastAccess(workspaceId), before);
});

test('does not wait for a locked user', async (t) => {
  const { workspaceId, userId, apiKey } = await makeWorkspace(bench());
  await seenAgo(bench(), { userId: uuidOf('user', userId), seconds: 3600 });
  await bench().database.transaction(async (session) => {
    const lock = `select 1 from users.users where workspace_id = $1 for update`;
    await session.query({ name: 'test.lock', text: lock }, [uuidOf('workspace', workspaceId)]);
    t.is((await verify(bench(), apiKey)).userId, userId);
  });
});

test('a verified key identifies an existing user', async (t) => {
  const { apiKey } = await makeWorkspace(bench());
  const verified = await verify(bench(), apiKey);
  const { user } = await bench().bus.call('users.me', {}, callAs(verified));
  t.is(user.id, verified.userId);
});

const refusal = { code: 'unauthenticated', message: 'The API key is not valid.' };

const count = ({ statements }: UsersBench) =>
  statements.filter((name) => name === 'keys.verify').length;

function key(userId: string, expiresAt?: string) {
  const input = {
    userId,
    scopes: ['user' as const],
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  return bench().bus.call('keys.create', input, callAsSystem());
}

async function lastAccess(workspaceId: string): Promise<number> {
  const [row] = await bench().database.query<{ ms: number }>(
    {
      name: 'test.last-access',
      text: `select (extract(epoch from last_accessed_at) * 1000)::float8 as ms from users.users where workspace_id = $1`,
    },
    [uuidOf('workspace', workspaceId)],
  );
  return row!.ms;
}
