import { encodeId, uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { ApiKey } from '../entities/api-key.entity.js';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);

test('broadcasts the revocation to every subscriber, and no longer verifies the key', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const { keyId, apiKey } = await key(userId);
  await verify(bench(), apiKey);
  const heard = listen();
  t.deepEqual(await revoke(keyId), { revoked: true });
  await eventually(() => heard.includes(keyId), { describe: 'the broadcast' });
  await t.throwsAsync(verify(bench(), apiKey), { code: 'unauthenticated' });
});

test('does not revoke other keys of the user', async (t) => {
  const { userId, apiKey } = await makeWorkspace(bench());
  const { keyId } = await key(userId);
  await revoke(keyId);
  await t.notThrowsAsync(verify(bench(), apiKey));
});

test('accepts a second revocation, and keeps the time of the first', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const { keyId } = await key(userId);
  await revoke(keyId);
  const first = await revokedAt(keyId);
  const heard = listen();
  t.deepEqual(await revoke(keyId), { revoked: true });
  t.deepEqual(await revokedAt(keyId), first);
  await eventually(() => heard.includes(keyId), { describe: 'the second broadcast' });
});

test('answers not_found for an unknown key, without a broadcast', async (t) => {
  const heard = listen();
  const unknown = encodeId('key', new IdClock().next());
  await t.throwsAsync(revoke(unknown), { code: 'not_found' });
  const { userId } = await makeWorkspace(bench());
  const { keyId } = await key(userId);
  await revoke(keyId);
  await eventually(() => heard.includes(keyId));
  t.false(heard.includes(unknown));
});

test('answers not_found for a key of another workspace', async (t) => {
  const [own, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const { keyId, apiKey } = await key(other.userId);
  await t.throwsAsync(bench().bus.call('keys.revoke', { keyId }, callAs(own)), {
    code: 'not_found',
  });
  await t.notThrowsAsync(verify(bench(), apiKey));
  await t.notThrowsAsync(bench().bus.call('keys.revoke', { keyId }, callAs(other)));
});

function listen(): string[] {
  const heard: string[] = [];
  bench().bus.listen('keys.revoked', ({ keyId }) => void heard.push(keyId));
  return heard;
}

const key = (userId: string) =>
  bench().bus.call('keys.create', { userId, scopes: ['user'] }, callAsSystem());

const revoke = (keyId: string) => bench().bus.call('keys.revoke', { keyId }, callAsSystem());

async function revokedAt(keyId: string): Promise<Date> {
  const { revokedAt } = await bench().database.em.findOneOrFail(ApiKey, {
    id: uuidOf('key', keyId),
  });
  return revokedAt!;
}
