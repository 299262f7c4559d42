import { encodeId, uuidOf } from '@roster/contracts';
import test from 'ava';
import { ApiKey } from '../entities/api-key.entity.js';
import { purgeKeys } from '../keys/purge-keys.js';
import { callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);
const dayMs = 86_400_000;

test.serial(
  'deletes keys 400 days after they were revoked or expired, and no others',
  async (t) => {
    const { userId, apiKey } = await makeWorkspace(bench());
    const times: [string, { revokedAt?: Date; expiresAt?: Date }][] = [
      ['revoked long ago', { revokedAt: daysAgo(401) }],
      ['expired long ago', { expiresAt: daysAgo(401) }],
      ['revoked long ago, expires later', { revokedAt: daysAgo(401), expiresAt: daysAgo(-1) }],
      ['revoked', { revokedAt: daysAgo(399) }],
      ['expired', { expiresAt: daysAgo(399) }],
      ['expires later', { expiresAt: daysAgo(-1) }],
    ];
    const names = new Map<string, string>();
    for (const [name, time] of times) {
      const { keyId } = await makeKey(userId);
      const id = uuidOf('key', keyId);
      await bench().database.em.nativeUpdate(ApiKey, { id }, time);
      names.set(keyId, name);
    }
    await purgeKeys(bench().database);
    const rows = await bench().database.em.find(ApiKey, {});
    t.deepEqual(rows.flatMap(({ id }) => names.get(encodeId('key', id)) ?? []).toSorted(), [
      'expired',
      'expires later',
      'revoked',
    ]);
    await t.notThrowsAsync(verify(bench(), apiKey));
  },
);

test.serial('deletes any number of keys, in portions, and waits for no locked one', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const { keyId } = await makeKey(userId);
  const id = uuidOf('key', keyId);
  const { database } = bench();
  await database.em.nativeUpdate(ApiKey, { id }, { revokedAt: daysAgo(500) });
  await database.em.execute(`
    insert into users.api_keys (workspace_id, id, user_id, sha256, scopes, created_at, revoked_at)
    select workspace_id, gen_random_uuid(), user_id, sha256(n::text::bytea), scopes, created_at, revoked_at
    from users.api_keys, generate_series(1, 12_000) n where id = '${id}'`);
  const left = () =>
    database.em.count(ApiKey, { workspaceId: { $ne: null }, revokedAt: { $lt: daysAgo(450) } });
  await database.transaction(async (session) => {
    await session.em.execute(`select 1 from users.api_keys where id = '${id}' for update`);
    await purgeKeys(database);
  });
  t.is(await left(), 1);
  await purgeKeys(database);
  t.is(await left(), 0);
});

const makeKey = (userId: string) =>
  bench().bus.call('keys.create', { userId, scopes: ['user'] }, callAsSystem());

const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMs);
