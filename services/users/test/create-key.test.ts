import { encodeId, type Fault } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);

test('creates a key for a user of any workspace, with the requested scopes', async (t) => {
  const { workspaceId, userId } = await makeWorkspace(bench());
  const { keyId, apiKey } = await create({ userId, scopes: ['api_user'] });
  t.deepEqual(await verify(bench(), apiKey), {
    keyId,
    workspaceId,
    userId,
    scopes: ['api_user'],
    expiresAt: null,
    origins: [],
  });
});

test('stores a scope once, however often it was requested', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const { apiKey } = await create({ userId, scopes: ['user', 'user'] });
  t.deepEqual((await verify(bench(), apiKey)).scopes, ['user']);
});

test('returns when the key expires', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const { apiKey } = await create({
    userId,
    scopes: ['user'],
    expiresAt: '2099-01-01T00:00:00+01:00',
  });
  t.is((await verify(bench(), apiKey)).expiresAt, '2098-12-31T23:00:00.000Z');
});

test('a key that expires on a date expires at its beginning in UTC', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const { apiKey } = await create({ userId, scopes: ['user'], expiresAt: '2099-01-01' });
  t.is((await verify(bench(), apiKey)).expiresAt, '2099-01-01T00:00:00.000Z');
});

const wrongExpiries = {
  tomorrow: 'must have a time and a zone, as in 2026-01-31T09:00:00Z',
  '': 'must have a time and a zone, as in 2026-01-31T09:00:00Z',
  '2099-02-30': 'must have a time and a zone, as in 2026-01-31T09:00:00Z',
  '0000-06-01T00:00:00Z': 'must be in the years 0001 to 9999 in UTC',
  '9999-12-31T23:59:59-12:00': 'must be in the years 0001 to 9999 in UTC',
};
for (const [expiresAt, message] of Object.entries(wrongExpiries)) {
  test(`rejects the expiry "${expiresAt}": ${message}`, async (t) => {
    const { userId } = await makeWorkspace(bench());
    const fault = await t.throwsAsync<Fault>(create({ userId, scopes: ['user'], expiresAt }), {
      code: 'invalid',
    });
    t.deepEqual(fault.details.errors, [{ pointer: '/expiresAt', message }]);
  });
}

test('answers not_found for an unknown user, and creates the other keys of the batch', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const unknown = encodeId('user', new IdClock().next());
  const outcomes = await Promise.allSettled(
    [userId, unknown, userId].map((id) => create({ userId: id, scopes: ['user'] })),
  );
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.is(outcomes[1]!.status === 'rejected' && outcomes[1]!.reason.code, 'not_found');
});

test('a caller without a workspace reaches no user, unless it is the operator', async (t) => {
  const { userId } = await makeWorkspace(bench());
  const withoutWorkspace = callAs({ workspaceId: '' });
  await t.throwsAsync(
    bench().bus.call('keys.create', { userId, scopes: ['user'] }, withoutWorkspace),
    {
      code: 'insufficient_scope',
    },
  );
});

test('answers not_found for a user of another workspace', async (t) => {
  const [own, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const input = { userId: other.userId, scopes: ['user' as const] };
  await t.throwsAsync(bench().bus.call('keys.create', input, callAs(own)), { code: 'not_found' });
  await t.notThrowsAsync(bench().bus.call('keys.create', input, callAs(other)));
});

function create(input: { userId: string; scopes: ('api_user' | 'user')[]; expiresAt?: string }) {
  return bench().bus.call('keys.create', input, callAsSystem());
}
