import { apiKeysMax, encodeId, uuidOf, type Scope } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;
type Owner = Pick<Workspace, 'workspaceId' | 'userId' | 'keyId'>;

test('creates a key for the caller, whose secret verifies as its user with its scopes', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner, { name: 'Billing', scopes: ['api_user'] });
  t.like(apiKey, {
    prefix: secret.slice(0, 10),
    name: 'Billing',
    scopes: ['api_user'],
    userId: owner.userId,
    expiresAt: null,
    lastUsedAt: null,
    lastUsedIp: null,
  });
  t.like(await verify(bench(), secret), {
    keyId: apiKey.id,
    workspaceId: owner.workspaceId,
    userId: owner.userId,
    scopes: ['api_user'],
  });
});

test('creates a key for another user of the workspace', async (t) => {
  const owner = await makeWorkspace(bench());
  const { user } = await bench().bus.call(
    'users.create',
    { email: 'grace@example.com', name: 'Grace' },
    callAs(owner),
  );
  const { apiKey } = await create(owner, { scopes: ['user'], userId: user.id });
  t.is(apiKey.userId, user.id);
});

test('rejects a user of another workspace like an unknown one', async (t) => {
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const unknown = encodeId('user', new IdClock().next());
  for (const userId of [other.userId, unknown]) {
    const error = await t.throwsAsync(create(owner, { scopes: ['user'], userId }));
    t.like(error, {
      code: 'invalid',
      details: {
        errors: [{ pointer: '/userId', message: 'must be the ID of a user of the workspace' }],
      },
    });
  }
});

test('refuses scopes that the key of the request does not hold', async (t) => {
  const owner = await makeWorkspace(bench());
  const context = callAs(owner);
  context.caller.scopes = ['user'];
  const input = { name: 'More', scopes: ['user', 'api_user'] as Scope[] };
  await t.throwsAsync(bench().bus.call('api-keys.create', input, context), {
    code: 'insufficient_scope',
    message: /scope api_user/,
  });
  t.is(await count(owner), 1);
});

test('rejects an expiry in the past', async (t) => {
  const owner = await makeWorkspace(bench());
  const expiresAt = new Date(Date.now() - 1).toISOString();
  await t.throwsAsync(create(owner, { scopes: ['user'], expiresAt }), { code: 'invalid' });
});

test('a key that expires creates keys that expire with it or earlier, and never later', async (t) => {
  const { workspaceId, userId } = await makeWorkspace(bench());
  const sentWith = await expiring({ userId, afterMs: 3_600_000 });
  const owner = { workspaceId, userId, keyId: sentWith.keyId };
  const earlier = new Date(Date.now() + 60_000).toISOString();
  t.is((await create(owner, { scopes: ['user'] })).apiKey.expiresAt, sentWith.expiresAt);
  for (const expiresAt of [earlier, sentWith.expiresAt])
    t.is((await create(owner, { scopes: ['user'], expiresAt })).apiKey.expiresAt, expiresAt);
  const expiresAt = new Date(Date.parse(sentWith.expiresAt) + 1).toISOString();
  t.like(await t.throwsAsync(create(owner, { scopes: ['user'], expiresAt })), {
    code: 'invalid',
    details: {
      errors: [
        {
          pointer: '/expiresAt',
          message: `must not be later than the expiry of the API key that the request is sent with, ${sentWith.expiresAt}`,
        },
      ],
    },
  });
});

test('a revoked or expired key creates no keys, although a gateway may still have it cached', async (t) => {
  const owner = await makeWorkspace(bench());
  const { keyId } = await expiring({ userId: owner.userId, afterMs: -1000 });
  await t.throwsAsync(create({ ...owner, keyId }, { scopes: ['user'] }), {
    code: 'unauthenticated',
  });
  await bench().bus.call('keys.revoke', { keyId: owner.keyId }, callAsSystem());
  await t.throwsAsync(create(owner, { scopes: ['user'] }), { code: 'unauthenticated' });
});

test('answers a repeated Idempotency-Key with conflict and the ID of the key, and stores no secret', async (t) => {
  const owner = await makeWorkspace(bench());
  const input = { name: 'Once', scopes: ['user'] as Scope[] };
  const send = () =>
    bench().bus.call('api-keys.create', input, callAs(owner, { idempotencyKey: 'one' }));
  const { apiKey, secret } = await send();
  t.like(await t.throwsAsync(send()), {
    code: 'conflict',
    details: { existingId: apiKey.id },
  });
  t.is(await count(owner), 2);
  const stored = await bench().database.query<{ row: string }>(
    { name: 'test.stored', text: 'select i::text as row from users.idempotency_keys i' },
    [],
  );
  t.true(stored.some(({ row }) => row.includes(apiKey.id)));
  t.false(stored.some(({ row }) => row.includes(secret.slice(4, 34))));
});

test('refuses a key beyond the limit of the workspace, which revoked keys do not count for', async (t) => {
  const owner = await makeWorkspace(bench());
  const first = await create(owner, { scopes: ['user'] });
  await fill(owner, apiKeysMax - 2);
  const refusals = await Promise.allSettled([1, 2].map(() => create(owner, { scopes: ['user'] })));
  t.deepEqual(
    refusals.map((one) => one.status === 'rejected' && one.reason.code),
    ['limit_reached', 'limit_reached'],
  );
  await bench().bus.call('api-keys.delete', { keyId: first.apiKey.id }, callAs(owner));
  const outcomes = await Promise.allSettled([1, 2].map(() => create(owner, { scopes: ['user'] })));
  t.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

/** A key of the user that expires. */
async function expiring({ userId, afterMs }: { userId: string; afterMs: number }) {
  const expiresAt = new Date(Date.now() + afterMs).toISOString();
  const input = { userId, scopes: ['user' as const], expiresAt };
  const { keyId } = await bench().bus.call('keys.create', input, callAsSystem());
  return { keyId, expiresAt };
}

const create = (
  owner: Owner,
  input: { scopes: Scope[]; name?: string; userId?: string; expiresAt?: string },
) => bench().bus.call('api-keys.create', { name: 'Key', ...input }, callAs(owner));

async function count({ workspaceId }: Workspace): Promise<number> {
  const { apiKeys } = await bench().bus.call(
    'api-keys.list',
    { limit: 100 },
    callAs({ workspaceId }),
  );
  return apiKeys.length;
}

/** Inserts further keys of the owner. */
const fill = ({ workspaceId }: Workspace, keys: number) =>
  bench().database.query(
    {
      name: 'test.fill',
      text: `insert into users.api_keys (workspace_id, id, user_id, sha256, scopes, created_at)
             select u.workspace_id, gen_random_uuid(), u.id, sha256(gen_random_uuid()::text::bytea), '{user}', now()
             from users.users u, generate_series(1, $2::int)
             where u.workspace_id = $1`,
    },
    [uuidOf('workspace', workspaceId), keys],
  );
