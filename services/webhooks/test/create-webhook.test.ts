import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { uuidOf, type Caller, type Fault } from '@roster/contracts';
import test from 'ava';
import {
  callAs,
  countChanges,
  getWebhook,
  listWebhooks,
  makeWebhook,
  makeWorkspace,
  storedText,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

test('creates a webhook that can be read, with the given token', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace, {
    token: 'my own t0ken!'.replaceAll(' ', '-'),
  });
  t.like(webhook, {
    url: 'https://example.com/hooks',
    events: ['CONTACT_CREATED'],
    token: 'my-own-t0ken!',
    signingSecret: 'whsec_bXktb3duLXQwa2VuIQ==',
  });
  t.regex(webhook.id, /^wh_/);
  t.deepEqual(await getWebhook(bench(), workspace, webhook.id), webhook);
});

test('generates a token of 33 random characters if none was sent', async (t) => {
  const workspace = makeWorkspace();
  const webhooks = await Promise.all(
    Array.from({ length: 3 }, () => makeWebhook(bench(), workspace)),
  );
  for (const { token } of webhooks) t.regex(token, /^wht_[0-9A-Za-z]{33}$/);
  t.is(new Set(webhooks.map(({ token }) => token)).size, 3);
});

test('stores no token in the clear, neither in the webhook nor in a stored response', async (t) => {
  const workspace = makeWorkspace();
  const { token } = await makeWebhook(bench(), workspace, { idempotencyKey: 'secret' });
  const stored = await storedText(bench(), workspace);
  t.true(stored.includes('https://example.com/hooks'));
  t.true(stored.includes('secret'));
  t.false(stored.includes(token));
  t.false(stored.includes(Buffer.from(token).toString('base64url').slice(0, 20)));
});

test('stores no hash of the input that a guessed token could be compared with', async (t) => {
  const workspace = makeWorkspace();
  await makeWebhook(bench(), workspace, { token: 'chosen-t0ken', idempotencyKey: 'guess' });
  const guess = hash('sha256', inputWith('chosen-t0ken'), 'buffer');
  const [row] = await inputHashOf(workspace, 'guess');
  t.is(row!.input_sha256.length, 32);
  t.false(row!.input_sha256.equals(guess));
});

const inputWith = (token: string) =>
  JSON.stringify({ url: 'https://example.com/hooks', events: ['CONTACT_CREATED'], token });

const inputHashOf = ({ workspaceId }: Workspace, key: string) =>
  bench().database.query<{ input_sha256: Buffer }>(
    {
      name: 'test.input-hash',
      text: 'select input_sha256 from webhooks.idempotency_keys where workspace_id = $1 and key = $2',
    },
    [uuidOf('workspace', workspaceId), key],
  );

test('encrypts the same token differently each time', async (t) => {
  const workspace = makeWorkspace();
  const wish = { token: 'the-same-token' };
  await Promise.all([makeWebhook(bench(), workspace, wish), makeWebhook(bench(), workspace, wish)]);
  const rows = await bench().database.query<{ token_ciphertext: string }>(
    {
      name: 'test.ciphertexts',
      text: `select token_ciphertext from webhooks.webhooks where workspace_id = $1`,
    },
    [uuidOf('workspace', workspace.workspaceId)],
  );
  t.is(new Set(rows.map((row) => row.token_ciphertext)).size, 2);
});

test('rejects an http URL, naming the field, creates nothing and does not fail the rest of the batch', async (t) => {
  const workspace = makeWorkspace();
  const [refused, made] = await Promise.allSettled([
    makeWebhook(bench(), workspace, { url: 'http://example.com/hooks' }),
    makeWebhook(bench(), workspace),
  ]);
  t.like(refused.status === 'rejected' && refused.reason, {
    code: 'invalid',
    details: { errors: [{ pointer: '/url', message: 'must be an https URL' }] },
  });
  t.deepEqual(
    (await listWebhooks(bench(), workspace)).map(({ id }) => id),
    [made.status === 'fulfilled' ? made.value.id : 'none'],
  );
});

test('limits a workspace to 1,000 webhooks, also under simultaneous creations', async (t) => {
  const [full, other] = [makeWorkspace(), makeWorkspace()];
  await fill(full, 998);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, async (_, turn) => {
      for (; turn > 0; turn -= 1) await nextTurn();
      return makeWebhook(bench(), full);
    }),
  );
  const refusals = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason.code] : [],
  );
  t.deepEqual(refusals, ['limit_reached', 'limit_reached']);
  t.is((await listWebhooks(bench(), full)).length, 1000);
  await t.notThrowsAsync(makeWebhook(bench(), other));
});

test('broadcasts each creation before it answers, and no refusal', async (t) => {
  const workspace = makeWorkspace();
  const changes = countChanges(bench(), workspace);
  await t.throwsAsync(makeWebhook(bench(), workspace, { url: 'http://example.com' }));
  await makeWebhook(bench(), workspace);
  // Broadcast and answer come over the same connection, in the order in which they were sent.
  t.is(changes(), 1);
  await makeWebhook(bench(), workspace, { idempotencyKey: 'change' });
  t.is(changes(), 2);
});

test('answers a repeated Idempotency-Key with the first response and the same token, and creates one webhook', async (t) => {
  const workspace = makeWorkspace();
  const first = await makeWebhook(bench(), workspace, { idempotencyKey: 'again' });
  t.deepEqual(await makeWebhook(bench(), workspace, { idempotencyKey: 'again' }), first);
  t.is((await listWebhooks(bench(), workspace)).length, 1);
});

for (const [sender, limits] of Object.entries({
  'an API key without the scope user': { scopes: ['api_user'] },
  'a browser token that allows to create webhooks only': {
    token: { readOnly: false, operations: ['webhooks.create'] },
    tokenId: 'a',
  },
} satisfies Record<string, Partial<Caller>>))
  test(`the response to a repeated request shows no generated token to ${sender}, but one that it has sent`, async (t) => {
    const workspace = makeWorkspace();
    const { caller, ...context } = callAs(workspace);
    const create = (idempotencyKey: string, wish: { token?: string } = {}) =>
      bench().bus.call(
        'webhooks.create',
        { url: 'https://example.com/hooks', events: ['CONTACT_CREATED'], ...wish },
        { ...context, caller: { ...caller, ...limits }, idempotencyKey },
      );
    const { webhook } = await create('generated');
    t.like(await t.throwsAsync(create('generated')), {
      code: 'conflict',
      details: { existingId: webhook.id },
    });
    const chosen = { token: 'chosen-t0ken' };
    const first = await create('chosen', chosen);
    t.deepEqual(await create('chosen', chosen), first);
    t.is((await listWebhooks(bench(), workspace)).length, 2);
  });

test('of simultaneous requests with one Idempotency-Key, one creates a webhook, and the others are refused or replayed', async (t) => {
  const workspace = makeWorkspace();
  const make = () => makeWebhook(bench(), workspace, { idempotencyKey: 'twin' });
  const outcomes = await Promise.allSettled([make(), nextTurn().then(make)]);
  const made = await make();
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') t.deepEqual(outcome.value, made);
    else t.is((outcome.reason as Fault).code, 'idempotency_key_in_use');
  t.true(outcomes.some(({ status }) => status === 'fulfilled'));
  t.is((await listWebhooks(bench(), workspace)).length, 1);
});

test('lets two workspaces use the same Idempotency-Key', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const wish = { idempotencyKey: 'shared' };
  t.not((await makeWebhook(bench(), own, wish)).id, (await makeWebhook(bench(), other, wish)).id);
});

async function fill({ workspaceId }: Workspace, count: number): Promise<void> {
  const text = `
    insert into webhooks.webhooks (workspace_id, id, url, events, token_ciphertext, created_at, updated_at)
    select $1, uuidv7(), 'https://example.com', '{CONTACT_CREATED}', 'test.', now(), now() from generate_series(1, $2)`;
  await bench().database.query({ name: 'test.fill', text }, [
    uuidOf('workspace', workspaceId),
    count,
  ]);
}
