import { generateKeyPairSync, hash, randomBytes, randomUUID } from 'node:crypto';
import { CallerSigner, CallerVerifier } from '@roster/bus';
import { uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import { OpenIdIssuer, openIdClient, type OpenIdAccount } from '@roster/testing/openid-issuer';
import test from 'ava';
import { usersConfig } from '../config.js';
import { IdentityProvider } from '../sessions/identity-provider.js';
import { callAs, callAsSystem, makeWorkspace, usersBench } from './users-bench.js';

const publicUrl = 'http://127.0.0.1:8080';
const startIssuer = () => OpenIdIssuer.start({ publicUrl });
const issuer = await startIssuer();
test.after.always(() => issuer.close());
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const lines: object[] = [];
const log = { warn: (line: object) => void lines.push(line) };
const providerAt = (url: string) =>
  new IdentityProvider({ issuer: url, ...openIdClient, publicUrl }, log as never);
const bench = usersBench(test, {
  signer: new CallerSigner({ id: 'k1', key: privateKey }),
  identityProvider: providerAt(issuer.url),
});
const verifier = new CallerVerifier([{ id: 'k1', key: publicKey }]);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

const verified = (email: string): OpenIdAccount => ({ email, email_verified: true });
const newEmail = () => `${randomUUID()}@example.com`;
const start = () => bench().bus.call('identity-sign-ins.start', {}, callAsSystem());
const finish = (query: string, attempt: string) =>
  bench().bus.call('identity-sign-ins.finish', { query, attempt }, callAsSystem());
const setEmail = (owner: Workspace, email?: string) =>
  bench().bus.call(
    'api-keys.set-sign-in',
    { keyId: owner.keyId, ...(email !== undefined && { email }) },
    callAs(owner),
  );

/** An account of the issuer signs in. */
async function signIn(account: string) {
  const { url, attempt } = await start();
  return finish(await issuer.signIn(url, account), attempt);
}

function newAccount(account: OpenIdAccount): string {
  const subject = randomUUID();
  issuer.accounts.set(subject, account);
  return subject;
}

async function open(link: string) {
  const opened = await bench().bus.call(
    'sessions.open',
    {
      by: { kind: 'link', sha256: hash('sha256', link) },
      session: hash('sha256', randomBytes(24)),
    },
    callAsSystem(),
  );
  return { ...opened, caller: verifier.callerOf(opened.token)! };
}

const openedWith = async (owner: Workspace) =>
  (
    await bench().database.query<{ with: string }>(
      {
        name: 'test.opened-with',
        text: `select after->>'with' as with from users.audit_log where workspace_id = $1 and action = 'session.created' order by id`,
      },
      [uuidOf('workspace', owner.workspaceId)],
    )
  ).map((row) => row.with);

test('the verified address of a key opens sessions of it, with its user and its scopes', async (t) => {
  const owner = await makeWorkspace(bench());
  const email = newEmail();
  const { apiKey } = await setEmail(owner, email.toUpperCase());
  t.is(apiKey.signInEmail, email.toUpperCase());
  const ada = newAccount(verified(email));
  const { links, refusal } = await signIn(ada);
  t.is(refusal, null);
  t.is(links.length, 1);
  const { caller, user, workspace } = await open(links[0]!);
  t.like({ user, workspace }, { user: { id: owner.userId }, workspace: { id: owner.workspaceId } });
  t.deepEqual(caller.scopes.toSorted(), ['api_user', 'user']);
  await t.throwsAsync(open(links[0]!), { code: 'unauthenticated' });
  t.deepEqual(await openedWith(owner), ['identity']);
});

test('tells where users sign in, if they can', async (t) => {
  const described = await bench().bus.call('identity-sign-ins.describe', {}, callAsSystem());
  t.is(described.host, new URL(issuer.url).host);
});

test('after the first sign-in only that account counts, not the address, which may be given to another', async (t) => {
  const owner = await makeWorkspace(bench());
  const email = newEmail();
  await setEmail(owner, email);
  const ada = newAccount(verified(email));
  t.is((await signIn(ada)).links.length, 1);
  const successor = newAccount(verified(email));
  t.deepEqual(await signIn(successor), { links: [], refusal: 'unknown' });
  issuer.accounts.set(ada, verified(newEmail()));
  t.is((await signIn(ada)).links.length, 1);
});

test('of two accounts that sign in first at the same moment, one may', async (t) => {
  const owner = await makeWorkspace(bench());
  const email = newEmail();
  await setEmail(owner, email);
  const accounts = Array.from({ length: 4 }, () => newAccount(verified(email)));
  const outcomes = await Promise.all(accounts.map(signIn));
  t.is(outcomes.filter(({ links }) => links.length > 0).length, 1);
});

test('an address that the issuer has not verified, or an unknown one, opens nothing', async (t) => {
  const owner = await makeWorkspace(bench());
  const email = newEmail();
  await setEmail(owner, email);
  const claims: OpenIdAccount[] = [
    { email },
    { email, email_verified: false },
    { email, email_verified: 'true' as never },
    {},
  ];
  for (const account of claims)
    t.deepEqual(await signIn(newAccount(account)), { links: [], refusal: 'unverified' });
  t.deepEqual(await signIn(newAccount(verified(newEmail()))), { links: [], refusal: 'unknown' });
});

test('an identity has a link for each workspace that has named it', async (t) => {
  const email = newEmail();
  const owners = [await makeWorkspace(bench(), 'One'), await makeWorkspace(bench(), 'Two')];
  for (const owner of owners) await setEmail(owner, email);
  const { links } = await signIn(newAccount(verified(email)));
  const opened = await Promise.all(links.map(open));
  t.deepEqual(opened.map(({ workspace }) => workspace.name).toSorted(), ['One', 'Two']);
});

test('without the address, or with another, the sessions and links of the identity end, and no others', async (t) => {
  const owner = await makeWorkspace(bench());
  const email = newEmail();
  const ended: string[] = [];
  bench().bus.listen('keys.revoked', ({ keyId }) => void ended.push(keyId));
  for (const next of [undefined, newEmail()]) {
    await setEmail(owner, email);
    const account = newAccount(verified(email));
    const { session } = await open((await signIn(account)).links[0]!);
    const unused = (await signIn(account)).links[0]!;
    const { link } = await bench().bus.call(
      'session-links.create',
      { expiresInSeconds: 300 },
      callAs(owner),
    );
    const other = await open(link.secret);
    await setEmail(owner, email);
    t.false(ended.includes(session.id), 'the same address changes nothing');
    await setEmail(owner, next);
    await eventually(() => ended.includes(session.id));
    await t.throwsAsync(open(unused), { code: 'unauthenticated' });
    t.is((await signIn(account)).links.length, 0);
    const { sessions } = await bench().bus.call('sessions.list', { limit: 100 }, callAs(owner));
    t.true(sessions.some(({ id }) => id === other.session.id));
    t.false(sessions.some(({ id }) => id === session.id));
  }
});

test('a key that was revoked, or has expired, opens nothing, and leaves its address to another key', async (t) => {
  const owner = await makeWorkspace(bench());
  const email = newEmail();
  const create = (expiresAt?: string) =>
    bench().bus.call(
      'api-keys.create',
      { name: 'Console', scopes: ['user'], ...(expiresAt && { expiresAt }) },
      callAs(owner),
    );
  const { apiKey } = await create();
  const own = { ...owner, keyId: apiKey.id };
  const set = (keyId: string) =>
    bench().bus.call('api-keys.set-sign-in', { keyId, email }, callAs(owner));
  await set(own.keyId);
  const account = newAccount(verified(email));
  const { links } = await signIn(account);
  t.deepEqual((await open(links[0]!)).caller.scopes, ['user']);
  await t.throwsAsync(set(owner.keyId), { code: 'conflict' });
  await bench().bus.call('api-keys.delete', { keyId: own.keyId }, callAs(owner));
  t.deepEqual(await signIn(account), { links: [], refusal: 'unknown' });
  await t.throwsAsync(set(own.keyId), { code: 'not_found' });
  t.is((await set(owner.keyId)).apiKey.signInEmail, email);
});

test('of two keys that get the same address at the same moment, one has it', async (t) => {
  const owner = await makeWorkspace(bench());
  const keys = await Promise.all(
    ['One', 'Two', 'Three'].map((name) =>
      bench().bus.call('api-keys.create', { name, scopes: ['user'] }, callAs(owner)),
    ),
  );
  const email = newEmail();
  const outcomes = await Promise.allSettled(
    keys.map(({ apiKey }) => setEmail({ ...owner, keyId: apiKey.id }, email)),
  );
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a key gives nobody more than it may do itself, in scopes and in time', async (t) => {
  const owner = await makeWorkspace(bench());
  const of = async (input: object) => {
    const { apiKey } = await bench().bus.call(
      'api-keys.create',
      { name: 'Lesser', scopes: ['user'], ...input },
      callAs(owner),
    );
    return { ...owner, keyId: apiKey.id, scopes: apiKey.scopes };
  };
  const lesser = await of({});
  const shorter = await of({
    scopes: ['user', 'api_user'],
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  for (const caller of [lesser, shorter]) {
    const context = callAs(caller);
    context.caller.scopes = caller.scopes;
    const set = (email?: string) =>
      bench().bus.call(
        'api-keys.set-sign-in',
        { keyId: owner.keyId, ...(email !== undefined && { email }) },
        context,
      );
    await t.throwsAsync(set(newEmail()), { code: 'insufficient_scope' });
    await t.notThrowsAsync(set());
  }
});

test('another browser, another attempt, a code that was used and a refusal open nothing', async (t) => {
  const owner = await makeWorkspace(bench());
  const email = newEmail();
  await setEmail(owner, email);
  const account = newAccount(verified(email));
  const [mine, theirs] = [await start(), await start()];
  const query = await issuer.signIn(mine.url, account);
  for (const other of [theirs.attempt, `${'a'.repeat(43)}.${'b'.repeat(43)}.${'c'.repeat(43)}`])
    t.deepEqual(await finish(query, other), { links: [], refusal: 'expired' });
  const [state, nonce] = mine.attempt.split('.');
  const [, otherNonce, otherVerifier] = theirs.attempt.split('.');
  t.is((await finish(query, [state, nonce, otherVerifier].join('.'))).refusal, 'refused');
  const again = await start();
  const [s, , v] = again.attempt.split('.');
  const fresh = await issuer.signIn(again.url, account);
  t.is((await finish(fresh, [s, otherNonce, v].join('.'))).refusal, 'refused');
  const used = await start();
  const once = await issuer.signIn(used.url, account);
  t.is((await finish(once, used.attempt)).links.length, 1);
  t.is((await finish(once, used.attempt)).refusal, 'refused');
  t.is((await signIn('nobody')).refusal, 'cancelled');
  t.false(JSON.stringify(lines).includes(new URLSearchParams(once).get('code')!));
});

test('the issuer is not asked about an attempt of another browser', async (t) => {
  const own = await startIssuer();
  t.teardown(() => own.close());
  const provider = providerAt(own.url);
  const { attempt } = await provider.start();
  const before = own.requests.length;
  t.is(await provider.finish('code=x&state=y', attempt), 'expired');
  t.is(await provider.finish('', attempt), 'expired');
  t.is(own.requests.length, before);
});

test('an issuer that is away refuses sign-ins only, and is asked again when it is back', async (t) => {
  const own = await startIssuer();
  t.teardown(() => own.close());
  const provider = providerAt(own.url);
  own.instead = (_, response) => response.writeHead(503).end();
  await t.throwsAsync(provider.start(), { code: 'unavailable' });
  own.instead = undefined;
  const { url, attempt } = await provider.start();
  own.accounts.set('ada', verified('ada@example.com'));
  const query = await own.signIn(url, 'ada');
  own.instead = (request) => request.socket.destroy();
  await t.throwsAsync(provider.finish(query, attempt), { code: 'unavailable' });
  own.instead = undefined;
  t.deepEqual(await provider.finish(query, attempt), {
    issuer: own.url,
    subject: 'ada',
    email: 'ada@example.com',
  });
});

test('an issuer that does not answer holds a bounded number of sign-ins, for seconds, and nobody who starts one', async (t) => {
  const own = await startIssuer();
  t.teardown(() => own.close());
  const provider = providerAt(own.url);
  own.instead = () => {};
  const startMany = () => Promise.allSettled(Array.from({ length: 60 }, () => provider.start()));
  t.true((await startMany()).every(({ status }) => status === 'rejected'));
  t.is(own.requests.length, 1, 'all of them have waited for the same answer');
  own.instead = undefined;
  const { attempt } = await provider.start();
  const query = (code: number) =>
    `code=${code}&state=${attempt.split('.')[0]}&iss=${encodeURIComponent(own.url)}`;
  own.instead = () => {};
  const held = Array.from({ length: 16 }, (_, code) => provider.finish(query(code), attempt));
  const ends = Promise.allSettled(held);
  await t.throwsAsync(provider.finish(query(16), attempt), {
    code: 'unavailable',
    message: /cannot be used/,
  });
  t.true((await startMany()).every(({ status }) => status === 'fulfilled'));
  t.true((await ends).every(({ status }) => status === 'rejected'));
  own.instead = undefined;
  t.is(await provider.finish(query(17), attempt), 'refused');
});

test('a browser that comes back twice at once signs in', async (t) => {
  const own = await startIssuer();
  t.teardown(() => own.close());
  own.accounts.set('ada', verified('ada@example.com'));
  const provider = providerAt(own.url);
  const { url, attempt } = await provider.start();
  const query = await own.signIn(url, 'ada');
  const identity = { issuer: own.url, subject: 'ada', email: 'ada@example.com' };
  t.deepEqual(
    await Promise.all([1, 2, 3].map(() => provider.finish(query, attempt))),
    [1, 2, 3].map(() => identity),
  );
  t.is(await provider.finish(query, attempt), 'refused', 'later, the code is used up');
});

test('an answer of the issuer without an end is read in part only', async (t) => {
  const own = await startIssuer();
  t.teardown(() => own.close());
  let sent = 0;
  own.instead = (_, response) => {
    response.setHeader('content-type', 'application/json').write('{"issuer": "');
    const send = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
    };
    response.on('drain', send);
    send();
  };
  await t.throwsAsync(providerAt(own.url).start(), { code: 'unavailable' });
  // What the sockets hold is sent as well.
  t.true(sent < 32 * 1024 * 1024, `${sent} bytes`);
});

test('letters that fold to those of an address are of another one', async (t) => {
  const owner = await makeWorkspace(bench());
  const name = `kim.s${randomUUID()}`;
  await setEmail(owner, `${name}@example.com`);
  for (const other of [name.replace('k', '\u212a'), name.replace('s', '\u017f')]) {
    const result = await signIn(newAccount(verified(`${other}@example.com`)));
    t.deepEqual(result, { links: [], refusal: 'unknown' });
  }
  const nul = await signIn(newAccount(verified(`${name}\0@example.com`)));
  t.is(nul.refusal, 'unverified');
  const same = await signIn(newAccount(verified(`${name.toUpperCase()}@EXAMPLE.com`)));
  t.is(same.links.length, 1);
});

test('a workspace that has named an address learns of its sign-ins only when its own link is opened', async (t) => {
  const [owner, stranger] = [await makeWorkspace(bench()), await makeWorkspace(bench())];
  const email = newEmail();
  await setEmail(owner, email);
  await setEmail(stranger, email);
  const account = newAccount(verified(email));
  const { links } = await signIn(account);
  t.is(links.length, 2);
  // In the order of the workspaces.
  const { caller } = await open(links[0]!);
  t.is(caller.workspaceId, owner.workspaceId);
  const of = async ({ workspaceId }: Workspace) =>
    (
      await bench().database.query<{ action: string; after: object | null }>(
        {
          name: 'test.entries',
          text: `select action, after from users.audit_log where workspace_id = $1 and action like 'session%' order by id`,
        },
        [uuidOf('workspace', workspaceId)],
      )
    ).filter(({ after }) => JSON.stringify(after).includes(account));
  t.deepEqual(
    (await of(owner)).map(({ action }) => action),
    ['session.created'],
  );
  t.deepEqual(await of(stranger), []);
});

test('an issuer must be https, or on this machine, and needs a client and an address of the gateways', (t) => {
  const parse = (variables: object) =>
    usersConfig.safeParse({
      DATABASE_URL: 'postgres://u:p@h/d',
      NATS_URL: 'nats://h:1',
      ...variables,
    });
  const rest = { OIDC_CLIENT_ID: 'roster', PUBLIC_URL: publicUrl };
  for (const OIDC_ISSUER of ['https://id.example.com/realms/a', 'http://127.0.0.1:3000'])
    t.true(parse({ OIDC_ISSUER, ...rest }).success, OIDC_ISSUER);
  for (const OIDC_ISSUER of ['http://id.example.com', 'id.example.com', 'https://id.example.com?x'])
    t.false(parse({ OIDC_ISSUER, ...rest }).success, OIDC_ISSUER);
  t.false(parse({ OIDC_ISSUER: 'https://id.example.com' }).success);
  t.true(parse({}).success);
});
