import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { CallerSigner, CallerVerifier } from '@roster/bus';
import {
  exportLinkLimits,
  exportLinkShape,
  operations,
  requirePermission,
  uuidOf,
  type Caller,
  type InputOf,
  type Operation,
  type Operations,
} from '@roster/contracts';
import test from 'ava';
import { purgeKeys } from '../keys/purge-keys.js';
import { callAs, callAsSystem, makeWorkspace, usersBench } from './users-bench.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const bench = usersBench(test, { signer: new CallerSigner({ id: 'k1', key: privateKey }) });
const verifier = new CallerVerifier([{ id: 'k1', key: publicKey }]);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

const sha256 = (secret: string) => hash('sha256', secret, 'hex');

async function makeLink(
  owner: Parameters<typeof callAs>[0],
  input: Partial<InputOf<Operations['export-links.create']>> = {},
): Promise<string> {
  const { link } = await bench().bus.call(
    'export-links.create',
    { format: 'csv', ...input },
    callAs(owner),
  );
  return link.secret;
}

const open = (secret: string) =>
  bench().bus.call('export-links.use', { link: sha256(secret) }, callAsSystem());

const gone = { code: 'unauthenticated' };

const query = (text: string, values: unknown[] = []) =>
  bench().database.query<Record<string, unknown>>(
    { name: `test.${hash('sha1', text)}`, text },
    values,
  );

const age = (secret: string, seconds: number) =>
  query(
    `update users.export_links set expires_at = expires_at - $2 * interval '1 second' where sha256 = $1`,
    [Buffer.from(sha256(secret), 'hex'), seconds],
  );

/** The caller that the browser tokens of a session name. */
async function signIn({ apiKey }: Workspace): Promise<Caller> {
  const { token } = await bench().bus.call(
    'sessions.open',
    {
      by: { kind: 'key', sha256: sha256(apiKey) },
      session: sha256(`rss_${randomBytes(24).toString('hex')}`),
    },
    callAsSystem(),
  );
  return verifier.callerOf(token)!;
}

test('a link gives its export once, of ten uses at the same moment too', async (t) => {
  const owner = await makeWorkspace(bench());
  const input = { format: 'ndjson', tag: ['vip'], property: { city: 'Łódź' } } as const;
  for (let round = 0; round < 5; round += 1) {
    const link = await makeLink(owner, { ...input, tag: [...input.tag] });
    t.regex(link, exportLinkShape);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => open(link)));
    const [used, ...others] = outcomes.flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    t.deepEqual(others, []);
    t.deepEqual(used!.input, { ...input, tag: ['vip'] });
    await t.throwsAsync(open(link), gone);
  }
});

test('its token exports for an hour as the key that made the link, and does nothing else', async (t) => {
  const owner = await makeWorkspace(bench());
  const { token } = await open(await makeLink(owner));
  const caller = verifier.callerOf(token)!;
  const { workspaceId, userId, keyId } = owner;
  t.like(caller, { workspaceId, userId, keyId, scopes: ['api_user'] });
  const allowed = (Object.values(operations) as Operation[])
    .filter((operation) => operation.scope !== undefined && isAllowed(caller, operation))
    .map(({ name }) => name);
  t.deepEqual(allowed, ['contacts.find', 'contacts.export']);
  const { i, e } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
    i: number;
    e: number;
  };
  t.is(e - i, 3_600_000);
});

test('no secret is stored, and the filter is deleted with the link', async (t) => {
  const owner = await makeWorkspace(bench());
  const rows = () =>
    query('select to_jsonb(l)::text as row from users.export_links l where workspace_id = $1', [
      uuidOf('workspace', owner.workspaceId),
    ]);
  const [used, expired] = [
    await makeLink(owner, { email: 'grace@example.com' }),
    await makeLink(owner),
  ];
  const stored = JSON.stringify(await rows());
  for (const secret of [used, expired]) t.false(stored.includes(secret.slice(4)));
  await open(used);
  await age(expired, exportLinkLimits.seconds + 1);
  await purgeKeys(bench().database);
  t.deepEqual(await rows(), []);
});

test('a link is refused after five minutes, and when its key is revoked, expired or without the scope', async (t) => {
  const owner = await makeWorkspace(bench());
  const link = await makeLink(owner);
  await age(link, exportLinkLimits.seconds + 1);
  await t.throwsAsync(open(link), gone);
  await age(link, -10);
  const key = [uuidOf('workspace', owner.workspaceId), uuidOf('key', owner.keyId)];
  const change = (set: string) =>
    query(`update users.api_keys set ${set} where workspace_id = $1 and id = $2`, key);
  await change(`expires_at = clock_timestamp()`);
  await t.throwsAsync(open(link), gone);
  await change(`expires_at = null, scopes = '{user}'`);
  await t.throwsAsync(open(link), gone);
  await change(`scopes = '{user,api_user}'`);
  await bench().bus.call('keys.revoke', { keyId: owner.keyId }, callAsSystem());
  await t.throwsAsync(open(link), gone);
  await t.throwsAsync(makeLink(owner), { code: 'unauthenticated' });
});

test('the token ends no later than its key', async (t) => {
  const owner = await makeWorkspace(bench());
  const link = await makeLink(owner);
  await query(
    `update users.api_keys set expires_at = clock_timestamp() + interval '1 minute' where workspace_id = $1`,
    [uuidOf('workspace', owner.workspaceId)],
  );
  const { token } = await open(link);
  const { i, e } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
    i: number;
    e: number;
  };
  t.true(e - i > 0 && e - i <= 60_000, `${e - i} ms`);
});

test('a link of a session ends with it, and its export is the one of the session', async (t) => {
  const owner = await makeWorkspace(bench());
  const caller = await signIn(owner);
  const [first, second] = [await makeLink(caller), await makeLink(caller)];
  const { keyId, token } = verifier.callerOf((await open(first)).token)!;
  t.is(keyId, caller.keyId);
  // Not a token of the console, which may do what its key may.
  t.is(token!.isFresh, undefined);
  await bench().bus.call('sessions.delete', { sessionId: keyId }, callAs(owner));
  await t.throwsAsync(open(second), gone);
});

test('a key has ten unused links: a further one ends the oldest', async (t) => {
  const owner = await makeWorkspace(bench());
  const links: string[] = [];
  for (let count = 0; count <= exportLinkLimits.ofKey; count += 1)
    links.push(await makeLink(owner));
  await t.throwsAsync(open(links[0]!), gone);
  for (const link of links.slice(1)) await t.notThrowsAsync(open(link));
  await Promise.all(Array.from({ length: 40 }, () => makeLink(owner)));
  const last = await makeLink(owner);
  const [row] = await query(
    'select count(*)::int as count from users.export_links where workspace_id = $1',
    [uuidOf('workspace', owner.workspaceId)],
  );
  t.is(row!['count'], exportLinkLimits.ofKey);
  await t.notThrowsAsync(open(last));
});

function isAllowed(caller: Caller, operation: Operation): boolean {
  try {
    requirePermission(caller, operation);
    return true;
  } catch {
    return false;
  }
}
