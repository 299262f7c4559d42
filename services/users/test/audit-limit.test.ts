import { generateKeyPairSync } from 'node:crypto';
import { CallerSigner } from '@roster/bus';
import { auditEntriesMax, auditKeyEntriesMax, Fault, uuidOf } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench } from './users-bench.js';

const { privateKey } = generateKeyPairSync('ed25519');
const bench = usersBench(test, { signer: new CallerSigner({ id: 'k1', key: privateKey }) });
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

test('counts every entry of a workspace with a limit, also of simultaneous calls', async (t) => {
  const owner = await makeWorkspace(bench());
  await Promise.all([
    ...Array.from({ length: 40 }, () => makeToken(owner)),
    ...Array.from({ length: 10 }, (_, n) => makeUser(owner, `grace-${n}@example.com`)),
    ...Array.from({ length: 5 }, () => makeKey(owner)),
  ]);
  t.is(await entriesOf(owner), 57);
  // Operators made the first two.
  t.is(await countOf(owner), 55);
});

test('at the limit of a day, refuses what would be recorded, until the next day, and changes nothing', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey } = await makeKey(owner);
  await leave(owner, -auditKeyEntriesMax);
  const before = await stateOf(owner);
  const context = callAs(owner);
  const { bus } = bench();
  const attempts = {
    token: () => makeToken(owner),
    user: () => makeUser(owner, 'grace@example.com'),
    name: () => bus.call('users.update-me', { name: 'Countess' }, context),
    key: () => makeKey(owner),
    rotation: () => bus.call('api-keys.rotate', { keyId: apiKey.id, overlapSeconds: 0 }, context),
    origins: () =>
      bus.call('workspaces.set-origins', { origins: ['https://app.example.com'] }, context),
  };
  for (const [name, attempt] of Object.entries(attempts)) await refused(t, attempt(), name);
  t.deepEqual(await stateOf(owner), before);
  await backdate(owner);
  for (const attempt of Object.values(attempts)) await t.notThrowsAsync(attempt());
});

test('writes no more entries than are left, and refuses no call of another workspace', async (t) => {
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  await leave(owner, 1);
  await makeToken(owner);
  const outcomes = await Promise.allSettled([owner, other, owner, other].map(makeToken));
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  t.is(await entriesOf(owner), 3);
  t.is(await entriesOf(other), 4);
});

test('at the limit, keys and users can be deleted, and operators change everything', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey } = await makeKey(owner);
  const { user } = await makeUser(owner, 'grace@example.com');
  await leave(owner, 0);
  const recorded = await entriesOf(owner);
  const { bus } = bench();
  await bus.call('api-keys.delete', { keyId: apiKey.id }, callAs(owner));
  await bus.call('users.delete', { userId: user.id }, callAs(owner));
  const scopes = ['user' as const];
  const { keyId } = await bus.call('keys.create', { userId: owner.userId, scopes }, callAsSystem());
  await bus.call('keys.rotate', { keyId, overlapSeconds: 0 }, callAsSystem());
  await bus.call('keys.revoke', { keyId }, callAsSystem());
  t.is(await entriesOf(owner), recorded + 5);
});

test('at the limit, the last key can be rotated or replaced, after any number of deletions', async (t) => {
  const owner = await makeWorkspace(bench());
  const { user } = await makeUser(owner, 'grace@example.com');
  await leave(owner, 1 - auditKeyEntriesMax);
  const { bus } = bench();
  await refused(t, makeToken(owner), 'token');
  await bus.call('users.delete', { userId: user.id }, callAs(owner));
  const { apiKey } = await makeKey(owner);
  await refused(t, makeKey(owner), 'key');
  await bus.call('api-keys.delete', { keyId: owner.keyId }, callAs({ ...owner, keyId: apiKey.id }));
  await leave(owner, 1 - auditKeyEntriesMax);
  const rotation = { keyId: apiKey.id, overlapSeconds: 0 };
  const rotate = () =>
    bus.call('api-keys.rotate', rotation, callAs({ ...owner, keyId: apiKey.id }));
  await rotate();
  await refused(t, rotate(), 'rotation');
});

async function refused(t: ExecutionContext, attempt: Promise<unknown>, name: string) {
  const fault = await t.throwsAsync<Fault>(attempt, { code: 'rate_limited' }, name);
  t.regex(fault.message, /limit of 250,000 entries of the audit log per day/);
  const { retryAfterSeconds = 0 } = fault.details;
  t.true(retryAfterSeconds > 0 && retryAfterSeconds <= 86_400, `${retryAfterSeconds} s`);
}

const makeToken = (owner: Workspace) =>
  bench().bus.call(
    'tokens.create',
    { scopes: ['user'], readOnly: true, expiresInSeconds: 900 },
    callAs(owner),
  );

const makeUser = (owner: Workspace, email: string) =>
  bench().bus.call('users.create', { email, name: 'Grace' }, callAs(owner));

const makeKey = (owner: Workspace) =>
  bench().bus.call('api-keys.create', { name: 'Key', scopes: ['user'] }, callAs(owner));

/** What the refused calls would change. */
async function stateOf(owner: Workspace) {
  const [keys, users, origins, entries] = await Promise.all([
    bench().bus.call('api-keys.list', { limit: 100 }, callAs(owner)),
    bench().bus.call('users.list', { limit: 100 }, callAs(owner)),
    bench().bus.call('workspaces.origins', {}, callAs(owner)),
    entriesOf(owner),
  ]);
  const names = users.users.map(({ name }) => name);
  return { keys: keys.apiKeys.map(({ id, prefix }) => [id, prefix]), names, origins, entries };
}

/** @param entries negative for entries that only keys have left */
const leave = (owner: Workspace, entries: number) =>
  bench().database.query(
    {
      name: 'test.leave',
      text: `insert into users.audit_days values ($1, (now() at time zone 'utc')::date, $2)
             on conflict (workspace_id, day) do update set entries = excluded.entries`,
    },
    [uuidOf('workspace', owner.workspaceId), auditEntriesMax - entries],
  );

const backdate = (owner: Workspace) =>
  query('backdate', `update users.audit_days set day = day - 1`, owner);

const entriesOf = async (owner: Workspace): Promise<number> =>
  (await query('entries', 'select count(*)::int as n from users.audit_log', owner))[0]!.n;

const countOf = async (owner: Workspace): Promise<number> =>
  (await query('counted', 'select entries as n from users.audit_days', owner))[0]!.n;

const query = (name: string, text: string, { workspaceId }: Workspace) =>
  bench().database.query<{ n: number }>(
    { name: `test.${name}`, text: `${text} where workspace_id = $1` },
    [uuidOf('workspace', workspaceId)],
  );
