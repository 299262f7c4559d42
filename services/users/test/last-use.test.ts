import { createHash } from 'node:crypto';
import { uuidOf } from '@roster/contracts';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench } from './users-bench.js';

const bench = usersBench(test);

test('records the time and the address of a use', async (t) => {
  const { key, use } = await makeKey();
  const before = Date.now();
  await use('203.0.113.7');
  const { lastUsedAt, lastUsedIp } = await key();
  t.true(Date.parse(lastUsedAt!) >= before);
  t.is(lastUsedIp, '203.0.113.7');
});

test('writes at most once a minute, however often a key is used', async (t) => {
  const { key, use, usedAgo } = await makeKey();
  await use('203.0.113.7');
  await usedAgo(55);
  const before = await key();
  await Promise.all(Array.from({ length: 20 }, () => use('203.0.113.8')));
  t.deepEqual(await key(), before);
  await usedAgo(6);
  await Promise.all(Array.from({ length: 20 }, () => use('203.0.113.8')));
  const after = await key();
  t.true(after.lastUsedAt! > before.lastUsedAt!);
  t.is(after.lastUsedIp, '203.0.113.8');
});

test('a use without an address is recorded without one', async (t) => {
  const { key, use } = await makeKey();
  await use(undefined);
  t.like(await key(), { lastUsedIp: null });
  t.not((await key()).lastUsedAt, null);
});

test('a refused key is not used', async (t) => {
  const { keyId, use, row } = await makeKey();
  await bench().bus.call('keys.revoke', { keyId }, callAsSystem());
  await t.throwsAsync(use('203.0.113.7'), { code: 'unauthenticated' });
  t.deepEqual(await row(), [{ last_used_at: null }]);
});

async function makeKey() {
  const owner = await makeWorkspace(bench());
  const input = { name: 'Key', scopes: ['user' as const] };
  const { apiKey, secret } = await bench().bus.call('api-keys.create', input, callAs(owner));
  const sha256 = createHash('sha256').update(secret).digest('hex');
  const id = uuidOf('key', apiKey.id);
  return {
    keyId: apiKey.id,
    key: async () =>
      (await bench().bus.call('api-keys.get', { keyId: apiKey.id }, callAs(owner))).apiKey,
    use: (address: string | undefined) =>
      bench().bus.call(
        'keys.verify',
        { sha256, ...(address !== undefined && { address }) },
        callAsSystem(),
      ),
    /** Moves the last use into the past. */
    usedAgo: (seconds: number) =>
      bench().database.query(
        {
          name: 'test.used-ago',
          text: `update users.api_keys set last_used_at = last_used_at - $2 * interval '1 second' where id = $1`,
        },
        [id, seconds],
      ),
    row: () =>
      bench().database.query(
        { name: 'test.last-use', text: 'select last_used_at from users.api_keys where id = $1' },
        [id],
      ),
  };
}
