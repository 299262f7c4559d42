import test from 'ava';
import {
  callAs,
  countChanges,
  getWebhook,
  listWebhooks,
  makeWebhook,
  makeWorkspace,
  unknownId,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

test('deletes a webhook once, and broadcasts it before it answers', async (t) => {
  const workspace = makeWorkspace();
  const [gone, kept] = await Promise.all([
    makeWebhook(bench(), workspace),
    makeWebhook(bench(), workspace),
  ]);
  const changes = countChanges(bench(), workspace);
  t.deepEqual(await remove(workspace, gone.id), { deleted: true });
  t.is(changes(), 1);
  await t.throwsAsync(remove(workspace, gone.id), { code: 'not_found' });
  await t.throwsAsync(getWebhook(bench(), workspace, gone.id), { code: 'not_found' });
  t.deepEqual(
    (await listWebhooks(bench(), workspace)).map(({ id }) => id),
    [kept.id],
  );
});

test('answers not_found for webhooks of other workspaces and unknown ones, and handles the rest of the batch', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const [first, second] = await Promise.all([makeWebhook(bench(), own), makeWebhook(bench(), own)]);
  const outcomes = await Promise.allSettled([
    remove(other, first.id),
    remove(own, unknownId()),
    remove(own, second.id),
    remove(own, second.id),
  ]);
  t.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'deleted' : outcome.reason.code)),
    ['not_found', 'not_found', 'deleted', 'not_found'],
  );
  t.is((await getWebhook(bench(), own, first.id)).id, first.id);
});

test('answers a repeated Idempotency-Key with the first response', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  t.deepEqual(await remove(workspace, id, 'again'), { deleted: true });
  t.deepEqual(await remove(workspace, id, 'again'), { deleted: true });
});

test('does not show the token of a deleted webhook in the response to a repeated request', async (t) => {
  const workspace = makeWorkspace();
  const create = () => makeWebhook(bench(), workspace, { idempotencyKey: 'create' });
  const { id } = await create();
  await remove(workspace, id);
  await t.throwsAsync(create(), {
    code: 'conflict',
    message: /was applied, and the webhook was deleted/,
  });
  t.deepEqual(await listWebhooks(bench(), workspace), []);
});

function remove(workspace: Workspace, webhookId: string, idempotencyKey?: string) {
  const context = callAs(workspace, idempotencyKey === undefined ? {} : { idempotencyKey });
  return bench().bus.call('webhooks.delete', { webhookId }, context);
}
