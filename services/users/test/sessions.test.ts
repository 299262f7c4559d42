import { generateKeyPairSync, hash, randomBytes, randomUUID } from 'node:crypto';
import { CallerSigner, CallerVerifier } from '@roster/bus';
import {
  decodeId,
  operations,
  requirePermission,
  sessionLimits,
  sessionLinkShape,
  uuidOf,
  type Caller,
} from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { purgeKeys } from '../keys/purge-keys.js';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const bench = usersBench(test, { signer: new CallerSigner({ id: 'k1', key: privateKey }) });
const verifier = new CallerVerifier([{ id: 'k1', key: publicKey }]);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

const sha256 = (secret: string) => hash('sha256', secret, 'hex');
const newSecret = () => `rss_${randomBytes(24).toString('hex')}`;
const atAddress = () => ({ ...callAsSystem(), address: '203.0.113.7' });

async function makeLink(owner: Parameters<typeof callAs>[0]): Promise<string> {
  const { link } = await bench().bus.call(
    'session-links.create',
    { expiresInSeconds: 300 },
    callAs(owner),
  );
  return link.secret;
}

const open = (kind: 'link' | 'key', secret: string, session = newSecret()) =>
  bench().bus.call(
    'sessions.open',
    { by: { kind, sha256: sha256(secret) }, session: sha256(session), userAgent: 'Firefox' },
    atAddress(),
  );

/** A session, its secret and the caller that its tokens name. */
async function signIn(owner: Workspace) {
  const secret = newSecret();
  const opened = await open('key', owner.apiKey, secret);
  return { secret, opened, id: opened.session.id, caller: verifier.callerOf(opened.token)! };
}

const createToken = (secret: string) =>
  bench().bus.call('sessions.create-token', { session: sha256(secret) }, atAddress());

const list = async (owner: Parameters<typeof callAs>[0]) =>
  (await bench().bus.call('sessions.list', { limit: 100 }, callAs(owner))).sessions;

const query = (text: string, values: unknown[]) =>
  bench().database.query<Record<string, unknown>>(
    { name: `test.${hash('sha1', text)}`, text },
    values,
  );

const shift = (id: string, seconds: number) =>
  query(
    `update users.sessions set created_at = created_at - $2 * interval '1 second',
       expires_at = expires_at - $2 * interval '1 second',
       last_used_at = last_used_at - $2 * interval '1 second' where id = $1`,
    [uuidOf('session', id), seconds],
  );

const entriesOf = (owner: Workspace, action: string) =>
  query(
    `select actor_id, key_id, address, resource_id, after from users.audit_log
     where workspace_id = $1 and action = $2 order by id`,
    [uuidOf('workspace', owner.workspaceId), action],
  );

function hear(): string[] {
  const heard: string[] = [];
  bench().bus.listen('keys.revoked', ({ keyId }) => void heard.push(keyId));
  return heard;
}

test('a link opens one session, of two redemptions at the same moment too, and says before whose it is', async (t) => {
  const owner = await makeWorkspace(bench());
  for (let round = 0; round < 10; round += 1) {
    const link = await makeLink(owner);
    t.regex(link, sessionLinkShape);
    const described = await bench().bus.call(
      'session-links.describe',
      { link: sha256(link) },
      callAsSystem(),
    );
    t.like(described, {
      workspace: { id: owner.workspaceId, name: 'Analytical Engines' },
      user: { id: owner.userId, name: 'Ada Lovelace' },
    });
    const outcomes = await Promise.allSettled([open('link', link), open('link', link)]);
    t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    await t.throwsAsync(open('link', link), { code: 'unauthenticated' });
    await t.throwsAsync(
      bench().bus.call('session-links.describe', { link: sha256(link) }, callAsSystem()),
      { code: 'unauthenticated' },
    );
  }
  t.is((await list(owner)).length, 10);
});

test('a link is valid for five minutes, and ends with its key', async (t) => {
  const owner = await makeWorkspace(bench());
  const link = await makeLink(owner);
  const move = (seconds: number) =>
    query(
      `update users.session_links set expires_at = expires_at - $2 * interval '1 second' where sha256 = $1`,
      [Buffer.from(sha256(link), 'hex'), seconds],
    );
  await move(sessionLimits.linkSeconds + 1);
  await t.throwsAsync(open('link', link), { code: 'unauthenticated' });
  await move(-10);
  await bench().bus.call('keys.revoke', { keyId: owner.keyId }, callAsSystem());
  await t.throwsAsync(open('link', link), { code: 'unauthenticated' });
});

test('a key has ten unused links: a further one ends the oldest', async (t) => {
  const owner = await makeWorkspace(bench());
  const links: string[] = [];
  for (let count = 0; count <= sessionLimits.linksOfKey; count += 1)
    links.push(await makeLink(owner));
  await t.throwsAsync(open('link', links[0]!), { code: 'unauthenticated' });
  await t.notThrowsAsync(open('link', links[1]!));
});

test('a session cannot create links, which would outlive it', async (t) => {
  const { caller } = await signIn(await makeWorkspace(bench()));
  await t.throwsAsync(
    bench().bus.call('session-links.create', { expiresInSeconds: 300 }, callAs(caller)),
    {
      code: 'insufficient_scope',
    },
  );
});

test('a session has the scopes of its key and a token of five minutes, and neither secret is stored', async (t) => {
  const owner = await makeWorkspace(bench());
  const { opened, secret, caller, id } = await signIn(owner);
  t.like(opened, {
    workspace: { id: owner.workspaceId, name: 'Analytical Engines' },
    user: { id: owner.userId, name: 'Ada Lovelace', email: 'Ada@Example.com' },
    scopes: ['api_user', 'user'],
  });
  t.like(caller, {
    ...{ workspaceId: owner.workspaceId, userId: owner.userId, keyId: id },
    ...{
      scopes: ['api_user', 'user'],
      token: { readOnly: false, operations: null, isFresh: true },
    },
  });
  const leftMs = Date.parse(opened.expiresAt) - Date.now();
  t.true(leftMs > 290_000 && leftMs < 310_000, `${leftMs} ms`);
  const hours = (Date.parse(opened.session.expiresAt) - Date.now()) / 3_600_000;
  t.true(hours > 11.9 && hours < 12.1);
  const [row] = await query('select to_jsonb(s) as row from users.sessions s where id = $1', [
    uuidOf('session', id),
  ]);
  t.false(JSON.stringify(row).includes(secret.slice(4)));
  await t.throwsAsync(open('key', `${owner.apiKey}x`), { code: 'unauthenticated' });
});

test('a session ends no later than its key', async (t) => {
  const owner = await makeWorkspace(bench());
  const expiresAt = new Date(Date.now() + 120_000).toISOString();
  const input = { userId: owner.userId, scopes: ['user' as const], expiresAt };
  const { apiKey } = await bench().bus.call('keys.create', input, callAsSystem());
  const opened = await open('key', apiKey);
  t.is(opened.session.expiresAt, expiresAt);
  t.true(Date.parse(opened.expiresAt) < Date.parse(expiresAt) + 5000);
});

test('what requires a key is allowed for ten minutes after the sign-in, and the token ends with them', async (t) => {
  const owner = await makeWorkspace(bench());
  const { secret, id } = await signIn(owner);
  const may = (caller: Caller, name: keyof typeof operations) => {
    try {
      requirePermission(caller, operations[name]);
      return 'allowed';
    } catch (error) {
      return (error as Error).message;
    }
  };
  await shift(id, sessionLimits.freshSeconds - 120);
  const fresh = await createToken(secret);
  const leftMs = Date.parse(fresh.expiresAt) - Date.now();
  t.true(leftMs > 90_000 && leftMs < 125_000, `${leftMs} ms`);
  const caller = verifier.callerOf(fresh.token)!;
  t.is(may(caller, 'api-keys.create'), 'allowed');
  await shift(id, 120);
  const later = verifier.callerOf((await createToken(secret)).token)!;
  t.regex(may(later, 'api-keys.create'), /sign in again/);
  for (const name of ['contacts.create', 'webhooks.get', 'users.list', 'audit-log.list'] as const)
    t.is(may(later, name), 'allowed', name);
});

test('a session gives others at most what its key may give, and lasts no longer', async (t) => {
  const owner = await makeWorkspace(bench());
  const { caller, id } = await signIn(owner);
  const { apiKey } = await bench().bus.call(
    'api-keys.create',
    { name: 'Made in the console', scopes: ['user'] },
    callAs(caller),
  );
  t.is(apiKey.expiresAt, null, 'the key of the session does not expire');
  const { key } = await bench().bus.call('key.get', {}, callAs(caller));
  t.like(key, { id, workspace: { id: owner.workspaceId }, user: { id: owner.userId } });
  await bench().bus.call('sessions.delete', { sessionId: id }, callAs(owner));
  await t.throwsAsync(bench().bus.call('key.get', {}, callAs(caller)), { code: 'unauthenticated' });
  await t.throwsAsync(
    bench().bus.call('api-keys.create', { name: 'Late', scopes: ['user'] }, callAs(caller)),
    { code: 'unauthenticated' },
  );
});

test('no operation on API keys finds a session, and none verifies its secret', async (t) => {
  const owner = await makeWorkspace(bench());
  const { secret, id } = await signIn(owner);
  const { bus } = bench();
  const asKey = id.replace('ses_', 'key_');
  const { apiKeys } = await bus.call('api-keys.list', { limit: 100 }, callAs(owner));
  t.deepEqual(
    apiKeys.map((key) => key.id),
    [owner.keyId],
  );
  await t.throwsAsync(verify(bench(), secret), { code: 'unauthenticated' });
  const refusals = [
    bus.call('api-keys.get', { keyId: asKey }, callAs(owner)),
    bus.call('api-keys.rotate', { keyId: asKey, overlapSeconds: 0 }, callAs(owner)),
    bus.call('api-keys.delete', { keyId: asKey }, callAs(owner)),
    bus.call('keys.revoke', { keyId: asKey }, callAsSystem()),
  ];
  for (const refusal of refusals) await t.throwsAsync(refusal, { code: 'not_found' });
  const check = (keyId: string) =>
    bus.call('keys.check', { workspaceId: owner.workspaceId, keyId }, callAsSystem());
  t.false((await check(asKey)).valid);
  t.true((await check(id)).valid);
  await t.throwsAsync(bus.call('api-keys.delete', { keyId: owner.keyId }, callAs(owner)), {
    code: 'conflict',
    message: /No other API key/,
  });
});

for (const [what, end] of Object.entries({
  'a deletion': (owner: Workspace, id: string) =>
    bench().bus.call('sessions.delete', { sessionId: id }, callAs(owner)),
  'the end of its key': (owner: Workspace) =>
    bench().bus.call('keys.revoke', { keyId: owner.keyId }, callAsSystem()),
  'a sign-out': (_: Workspace, __: string, secret: string) =>
    bench().bus.call('sessions.end', { session: sha256(secret) }, atAddress()),
}))
  test(`${what} ends a session at once, and gateways are told`, async (t) => {
    const owner = await makeWorkspace(bench());
    const { id, secret } = await signIn(owner);
    const heard = hear();
    await bench().bus.link.nats.flush();
    await end(owner, id, secret);
    await eventually(() => heard.includes(id), { describe: 'the broadcast' });
    await t.throwsAsync(createToken(secret), { code: 'unauthenticated' });
    const { workspaceId } = owner;
    const { valid } = await bench().bus.call(
      'keys.check',
      { workspaceId, keyId: id },
      callAsSystem(),
    );
    t.false(valid);
  });

test('the sessions of a deleted user end', async (t) => {
  const owner = await makeWorkspace(bench());
  const { user } = await bench().bus.call(
    'users.create',
    { email: `${randomUUID()}@example.com`, name: 'Member' },
    callAs(owner),
  );
  const { apiKey } = await bench().bus.call(
    'keys.create',
    { userId: user.id, scopes: ['user'] },
    callAsSystem(),
  );
  const { id, secret } = await signIn({ ...owner, apiKey });
  const heard = hear();
  await bench().bus.link.nats.flush();
  await bench().bus.call('users.delete', { userId: user.id }, callAs(owner));
  await eventually(() => heard.includes(id), { describe: 'the broadcast' });
  await t.throwsAsync(createToken(secret), { code: 'unauthenticated' });
});

test('lists the sessions of the workspace page by page, oldest first, and no expired or foreign ones', async (t) => {
  const owner = await makeWorkspace(bench());
  const other = await makeWorkspace(bench());
  const made = [await signIn(owner), await signIn(owner), await signIn(owner)];
  await shift(made[1]!.id, 13 * 3600);
  const foreign = await signIn(other);
  const page = (input: { limit: number; after?: string }) =>
    bench().bus.call('sessions.list', input, callAs(made[2]!.caller));
  const first = await page({ limit: 1 });
  const second = await page({ limit: 1, after: first.pagination.next! });
  t.is(second.pagination.next, null);
  const all = [...first.sessions, ...second.sessions];
  t.deepEqual(
    all.map(({ id, isCurrent }) => [id, isCurrent]),
    [
      [made[0]!.id, false],
      [made[2]!.id, true],
    ],
  );
  t.like(all[0], {
    user: { id: owner.userId, name: 'Ada Lovelace' },
    ...{ keyId: owner.keyId, address: '203.0.113.7', userAgent: 'Firefox' },
  });
  await t.throwsAsync(
    bench().bus.call('sessions.delete', { sessionId: foreign.id }, callAs(owner)),
    { code: 'not_found' },
  );
  const get = (sessionId: string) => bench().bus.call('sessions.get', { sessionId }, callAs(owner));
  t.deepEqual((await get(made[0]!.id)).session, all[0]);
  for (const { id } of [foreign, made[1]!]) await t.throwsAsync(get(id), { code: 'not_found' });
  t.is((await list(other)).length, 1);
});

test('a key has twenty sessions: a further one ends its oldest, and gateways are told', async (t) => {
  const owner = await makeWorkspace(bench());
  const first = await signIn(owner);
  for (let count = 1; count < sessionLimits.ofKey; count += 1) await signIn(owner);
  t.is((await list(owner)).length, sessionLimits.ofKey);
  const heard = hear();
  await bench().bus.link.nats.flush();
  await signIn(owner);
  await eventually(() => heard.includes(first.id), { describe: 'the broadcast' });
  const left = await list(owner);
  t.is(left.length, sessionLimits.ofKey);
  t.false(left.some(({ id }) => id === first.id));
  t.deepEqual(
    (await entriesOf(owner, 'session.deleted')).map((entry) => entry['resource_id']),
    [first.id],
  );
});

test('the audit log records each session that is opened and ended, with user and address, and no token', async (t) => {
  const owner = await makeWorkspace(bench());
  const { id, secret } = await signIn(owner);
  await createToken(secret);
  await bench().bus.call('sessions.end', { session: sha256(secret) }, atAddress());
  const by = { actor_id: owner.userId, address: '203.0.113.7', resource_id: id };
  t.deepEqual(await entriesOf(owner, 'session.created'), [
    { ...by, key_id: owner.keyId, after: { userId: owner.userId, with: 'key' } },
  ]);
  t.deepEqual(await entriesOf(owner, 'session.deleted'), [{ ...by, key_id: id, after: null }]);
  t.deepEqual(await entriesOf(owner, 'token.created'), []);
});

test('records the last use and address of a session and the last access of its user', async (t) => {
  const owner = await makeWorkspace(bench());
  const { id, secret } = await signIn(owner);
  await shift(id, 100);
  await query(
    `update users.users set last_accessed_at = last_accessed_at - interval '1 hour' where id = $1`,
    [uuidOf('user', owner.userId)],
  );
  await bench().bus.call(
    'sessions.create-token',
    { session: sha256(secret) },
    { ...callAsSystem(), address: '203.0.113.8' },
  );
  const [session] = await list(owner);
  t.is(session!.address, '203.0.113.8');
  const [row] = await query('select last_accessed_at as at from users.users where id = $1', [
    uuidOf('user', owner.userId),
  ]);
  for (const at of [session!.lastUsedAt, row!['at'] as string])
    t.true(Math.abs(new Date(at).getTime() - Date.now()) < 30_000);
});

test('expired sessions and links are deleted, and no others', async (t) => {
  const owner = await makeWorkspace(bench());
  const [expired, valid] = [await signIn(owner), await signIn(owner)];
  await shift(expired.id, 13 * 3600);
  await purgeKeys(bench().database);
  const rows = await query('select id from users.sessions where workspace_id = $1', [
    uuidOf('workspace', owner.workspaceId),
  ]);
  t.deepEqual(
    rows.map(({ id }) => id),
    [decodeId('session', valid.id)],
  );
});
