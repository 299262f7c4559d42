import { uuidOf } from '@roster/contracts';
import test from 'ava';
import {
  callAsSystem,
  countChanges,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  unknownId,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

test.serial(
  'answers a batch of workspaces with one statement, each with its own subscriptions',
  async (t) => {
    const workspaces = Array.from({ length: 10 }, makeWorkspace);
    const made = await Promise.all(workspaces.map((workspace) => makeWebhook(bench(), workspace)));
    const before = bench().statements.length;
    const answers = await Promise.all(
      [...workspaces, makeWorkspace()].map((requested) => subscriptionsOf(bench(), requested)),
    );
    t.deepEqual(bench().statements.slice(before), ['webhooks.subscriptions']);
    const withoutPositions = answers.map((subscriptions) =>
      subscriptions.map(({ positions: _positions, ...rest }) => rest),
    );
    t.deepEqual(withoutPositions, [
      ...made.map(({ id, url, events, token, createdAt }) => [
        {
          ...{
            id,
            url,
            events,
            token,
            previousToken: null,
            disabledReason: null,
            payload: 'compact',
            headers: {},
            ratePerSecond: null,
            traceContext: false,
            filter: null,
            filterChangedAt: null,
          },
          ...{ createdAt, subscribedAt: {}, lastDisabled: null },
        },
      ]),
      [],
    ]);
  },
);

test('returns a webhook whose token cannot be decrypted without a token', async (t) => {
  const [broken, whole] = [makeWorkspace(), makeWorkspace()];
  await Promise.all([broken, broken, whole].map((workspace) => makeWebhook(bench(), workspace)));
  const text = `
    update webhooks.webhooks set token_ciphertext = 'gone.AAAA'
    where (workspace_id, id) = (select workspace_id, id from webhooks.webhooks where workspace_id = $1 limit 1)`;
  await bench().database.query({ name: 'test.break', text }, [
    uuidOf('workspace', broken.workspaceId),
  ]);
  const tokens = (await subscriptionsOf(bench(), broken)).map(({ token }) => token);
  t.is(tokens.length, 2);
  t.is(tokens.filter((token) => token === null).length, 1);
  t.true((await subscriptionsOf(bench(), whole)).every(({ token }) => token !== null));
});

test('disables a webhook, keeps the first reason, and broadcasts it', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const changes = countChanges(bench(), workspace);
  t.deepEqual(await disable(workspace, id, 'it answered 410'), { disabled: true });
  t.is(changes(), 1);
  t.deepEqual(await disable(workspace, id, 'something else'), { disabled: true });
  t.is((await subscriptionsOf(bench(), workspace))[0]!.disabledReason, 'it answered 410');
});

test('disables a webhook whose token cannot be decrypted', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const text = `update webhooks.webhooks set token_ciphertext = 'gone.AAAA' where workspace_id = $1`;
  const values = [uuidOf('workspace', workspace.workspaceId)];
  await bench().database.query({ name: 'test.break-one', text }, values);
  t.deepEqual(await disable(workspace, id, 'it answered 410'), { disabled: true });
  t.like((await subscriptionsOf(bench(), workspace))[0], {
    token: null,
    disabledReason: 'it answered 410',
  });
});

test('answers not_found for webhooks of other workspaces and unknown ones', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const { id } = await makeWebhook(bench(), own);
  await t.throwsAsync(disable(other, id, 'mine now'), { code: 'not_found' });
  await t.throwsAsync(disable(own, unknownId(), 'whatever'), { code: 'not_found' });
  t.is((await subscriptionsOf(bench(), own))[0]!.disabledReason, null);
});

function disable({ workspaceId }: Workspace, webhookId: string, reason: string) {
  return bench().bus.call('webhooks.shut-off', { workspaceId, webhookId, reason }, callAsSystem());
}
