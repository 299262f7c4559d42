import { setImmediate as nextTurn } from 'node:timers/promises';
import { signingSecretOf, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { requireKeysInUse } from '../secrets/keys-in-use.js';
import { TokenCipher } from '../secrets/token-cipher.js';
import {
  callAs,
  countChanges,
  getWebhook,
  makeTokenKey,
  makeWebhook,
  makeWorkspace,
  storedText,
  subscriptionsOf,
  unknownId,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const daySeconds = 86_400;

test('generates a new token, and keeps the previous one valid for a day', async (t) => {
  const workspace = makeWorkspace();
  const { token: former, signingSecret: _, ...rest } = await makeWebhook(bench(), workspace);
  const before = Date.now();
  const { token, signingSecret, ...same } = await rotate(workspace, rest.id);
  t.is(signingSecret, signingSecretOf(token));
  t.deepEqual(same, rest);
  t.not(token, former);
  t.regex(token, /^wht_[0-9A-Za-z]{33}$/);
  t.is((await getWebhook(bench(), workspace, rest.id)).token, token);
  const [subscription] = await subscriptionsOf(bench(), workspace);
  t.like(subscription, { token, previousToken: { token: former } });
  const until = Date.parse(subscription!.previousToken!.until);
  t.true(until >= before + daySeconds * 1000 && until <= Date.now() + daySeconds * 1000);
});

test('uses the given token', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  t.is((await rotate(workspace, id, { token: 'my-own-token' })).token, 'my-own-token');
});

test('drops the previous token at once without an overlap, also one of an earlier rotation', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  await rotate(workspace, id);
  const { token } = await rotate(workspace, id, { overlapSeconds: 0 });
  t.like((await subscriptionsOf(bench(), workspace))[0], { token, previousToken: null });
});

test('drops the previous token when the overlap ends', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const before = Date.now();
  const { token } = await rotate(workspace, id, { overlapSeconds: 2 });
  const isAlone = async () =>
    (await subscriptionsOf(bench(), workspace))[0]!.previousToken === null;
  t.true(!(await isAlone()) || Date.now() - before >= 2000);
  await eventually(isAlone);
  t.is((await subscriptionsOf(bench(), workspace))[0]!.token, token);
});

test('keeps only the token it replaces when rotated during an overlap', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const second = await rotate(workspace, id, { overlapSeconds: 7 * daySeconds });
  const third = await rotate(workspace, id, { overlapSeconds: 60 });
  const [subscription] = await subscriptionsOf(bench(), workspace);
  t.like(subscription, { token: third.token, previousToken: { token: second.token } });
  t.true(Date.parse(subscription!.previousToken!.until) <= Date.now() + 60_000);
});

test('keeps the token it replaced when the same rotation is sent twice', async (t) => {
  const workspace = makeWorkspace();
  const { id, token: former } = await makeWebhook(bench(), workspace);
  await rotate(workspace, id, { token: 'the-new-token' });
  await rotate(workspace, id, { token: 'the-new-token' });
  t.like((await subscriptionsOf(bench(), workspace))[0], {
    token: 'the-new-token',
    previousToken: { token: former },
  });
});

test('does not restore a previous token whose overlap has ended', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  await rotate(workspace, id, { token: 'the-new-token' });
  await endOverlap(workspace);
  await rotate(workspace, id, { token: 'the-new-token' });
  t.is((await subscriptionsOf(bench(), workspace))[0]!.previousToken, null);
});

test('applies simultaneous rotations one after another', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const rotated = await Promise.all([
    rotate(workspace, id),
    rotate(workspace, id),
    nextTurn().then(() => rotate(workspace, id)),
    nextTurn()
      .then(nextTurn)
      .then(() => rotate(workspace, id)),
  ]);
  const [subscription] = await subscriptionsOf(bench(), workspace);
  const tokens = rotated.map(({ token }) => token);
  t.true(tokens.includes(subscription!.token!));
  t.true(tokens.includes(subscription!.previousToken!.token));
  t.not(subscription!.token, subscription!.previousToken!.token);
});

test('stores neither token in the clear, also not in a stored response', async (t) => {
  const workspace = makeWorkspace();
  const { id, token: former } = await makeWebhook(bench(), workspace);
  const { token } = await rotate(workspace, id, { idempotencyKey: 'secret' });
  const stored = await storedText(bench(), workspace);
  t.true(stored.includes('secret'));
  for (const secret of [former, token]) t.false(stored.includes(secret));
});

test('does not decrypt a previous token that was moved to another webhook', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  for (const workspace of [own, other])
    await rotate(workspace, (await makeWebhook(bench(), workspace)).id);
  const text = `
    update webhooks.webhooks t set previous_token_ciphertext = s.previous_token_ciphertext
    from webhooks.webhooks s where s.workspace_id = $1 and t.workspace_id = $2`;
  await bench().database.query({ name: 'test.move', text }, uuidsOf(own, other));
  t.like((await subscriptionsOf(bench(), other))[0], { token: null, previousToken: null });
  t.truthy((await subscriptionsOf(bench(), own))[0]!.previousToken);
});

test.serial('requires the key of a previous token only while that is valid', async (t) => {
  const workspace = makeWorkspace();
  await rotate(workspace, (await makeWebhook(bench(), workspace)).id);
  const text = `
    update webhooks.webhooks set previous_token_ciphertext = 'gone' || substr(previous_token_ciphertext, 5)
    where workspace_id = $1`;
  await bench().database.query({ name: 'test.rename', text }, uuidsOf(workspace));
  await t.throwsAsync(requireKeysInUse(bench().database, bench().cipher), {
    message: /: gone\. Append/,
  });
  await endOverlap(workspace);
  await t.notThrowsAsync(requireKeysInUse(bench().database, bench().cipher));
  const withoutAny = new TokenCipher([makeTokenKey('other')]);
  await t.throwsAsync(requireKeysInUse(bench().database, withoutAny), {
    message: /: test\. Append/,
  });
});

test('answers not_found for webhooks of other workspaces and unknown ones, changes nothing, and handles the rest of the batch', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const [first, second] = [await makeWebhook(bench(), own), await makeWebhook(bench(), own)];
  const changes = countChanges(bench(), other);
  const outcomes = await Promise.allSettled([
    rotate(other, first.id),
    rotate(own, unknownId()),
    rotate(own, second.id, { token: 'second-token' }),
  ]);
  t.deepEqual(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.token : outcome.reason.code,
    ),
    ['not_found', 'not_found', 'second-token'],
  );
  t.deepEqual(await getWebhook(bench(), own, first.id), first);
  t.is(changes(), 0);
});

test('broadcasts the change before it answers', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const changes = countChanges(bench(), workspace);
  await rotate(workspace, id);
  t.is(changes(), 1);
});

test('answers a repeated Idempotency-Key with the same token, and rotates once', async (t) => {
  const workspace = makeWorkspace();
  const { id, token: former } = await makeWebhook(bench(), workspace);
  const first = await rotate(workspace, id, { idempotencyKey: 'again' });
  t.deepEqual(await rotate(workspace, id, { idempotencyKey: 'again' }), first);
  t.like((await subscriptionsOf(bench(), workspace))[0], {
    token: first.token,
    previousToken: { token: former },
  });
});

test('does not show a replaced token in the response to a repeated request', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace, { idempotencyKey: 'create' });
  await rotate(workspace, id, { idempotencyKey: 'rotate' });
  const { token } = await rotate(workspace, id, { idempotencyKey: 'again' });
  const replaced = { code: 'conflict', details: { existingId: id } };
  const repeat = makeWebhook(bench(), workspace, { idempotencyKey: 'create' });
  t.like(await t.throwsAsync(repeat), replaced);
  t.like(await t.throwsAsync(rotate(workspace, id, { idempotencyKey: 'rotate' })), replaced);
  t.is((await rotate(workspace, id, { idempotencyKey: 'again' })).token, token);
});

interface Rotation {
  token?: string;
  overlapSeconds?: number;
  idempotencyKey?: string;
}

async function rotate(
  workspace: Workspace,
  webhookId: string,
  { idempotencyKey, overlapSeconds = daySeconds, ...wish }: Rotation = {},
) {
  const context = callAs(workspace, idempotencyKey === undefined ? {} : { idempotencyKey });
  const input = { webhookId, overlapSeconds, ...wish };
  const { webhook } = await bench().bus.call('webhooks.rotate-token', input, context);
  return webhook;
}

async function endOverlap(workspace: Workspace): Promise<void> {
  const text = `update webhooks.webhooks set previous_token_until = now() where workspace_id = $1`;
  await bench().database.query({ name: 'test.end-overlap', text }, uuidsOf(workspace));
}

const uuidsOf = (...workspaces: Workspace[]): string[] =>
  workspaces.map(({ workspaceId }) => uuidOf('workspace', workspaceId));
