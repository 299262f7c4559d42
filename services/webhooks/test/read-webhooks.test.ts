import { uuidOf } from '@roster/contracts';
import test from 'ava';
import {
  getWebhook,
  listWebhooks,
  makeWebhook,
  makeWorkspace,
  unknownId,
  webhooksBench,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

test('lists the webhooks of the workspace in the order of their creation, without tokens', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const made = [];
  for (let n = 0; n < 5; n += 1)
    made.push(await makeWebhook(bench(), own, { url: `https://example.com/${n}` }));
  await makeWebhook(bench(), other);
  t.deepEqual(
    await listWebhooks(bench(), own),
    made.map((webhook) => {
      const { token: _, signingSecret: __, ...listed } = webhook;
      return listed;
    }),
  );
});

test('lists no webhooks in an empty workspace', async (t) => {
  t.deepEqual(await listWebhooks(bench(), makeWorkspace()), []);
});

test('answers each caller of a batch with the webhooks of their workspace', async (t) => {
  const workspaces = Array.from({ length: 4 }, makeWorkspace);
  const made = await Promise.all(workspaces.map((workspace) => makeWebhook(bench(), workspace)));
  const lists = await Promise.all(workspaces.map((workspace) => listWebhooks(bench(), workspace)));
  t.deepEqual(
    lists.map((list) => list.map(({ id }) => id)),
    made.map(({ id }) => [id]),
  );
  const got = await Promise.all(
    workspaces.map((workspace, n) => getWebhook(bench(), workspace, made[n]!.id)),
  );
  t.deepEqual(got, made);
});

test('answers not_found for webhooks of other workspaces and unknown ones, and answers the rest of the batch', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const webhook = await makeWebhook(bench(), own);
  const outcomes = await Promise.allSettled([
    getWebhook(bench(), other, webhook.id),
    getWebhook(bench(), own, webhook.id),
    getWebhook(bench(), own, unknownId()),
  ]);
  t.deepEqual(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.id : outcome.reason.toWire(),
    ),
    [refusal, webhook.id, refusal],
  );
});

test('returns stored event kinds that requests cannot contain', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const events = ['contact.created', 'campaign.sent'];
  const text = `update webhooks.webhooks set events = $2 where workspace_id = $1`;
  await bench().database.query({ name: 'test.old-kinds', text }, [
    uuidOf('workspace', workspace.workspaceId),
    events,
  ]);
  t.deepEqual((await getWebhook(bench(), workspace, id)).events, events);
  t.deepEqual((await listWebhooks(bench(), workspace))[0]!.events, events);
});

const refusal = { code: 'not_found', message: 'No such webhook.' };
