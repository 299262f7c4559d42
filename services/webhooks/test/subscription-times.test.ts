import { uuidOf, type EventKind } from '@roster/contracts';
import test from 'ava';
import {
  callAs,
  callAsSystem,
  failSince,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const dayMs = 86_400_000;

test('tells dispatchers since when a webhook subscribes to kinds that were added after its creation', async (t) => {
  const { workspace, webhookId } = await makeOne(['CONTACT_CREATED', 'CONTACT_UPDATED']);
  t.deepEqual((await subscriptionOf(workspace)).subscribedAt, {});
  const first = await changeEvents(workspace, webhookId, ['CONTACT_CREATED', 'CONTACT_DELETED']);
  const added = (await subscriptionOf(workspace)).subscribedAt!;
  t.deepEqual(Object.keys(added), ['CONTACT_DELETED']);
  t.true(isWithin(added['CONTACT_DELETED']!, first));

  // A kind that stays keeps its time; one that was removed and added again begins anew.
  const second = await changeEvents(workspace, webhookId, ['CONTACT_DELETED', 'CONTACT_UPDATED']);
  const again = (await subscriptionOf(workspace)).subscribedAt!;
  t.is(again['CONTACT_DELETED'], added['CONTACT_DELETED']);
  t.true(isWithin(again['CONTACT_UPDATED']!, second));
  await changeEvents(workspace, webhookId, ['CONTACT_DELETED', 'CONTACT_UPDATED']);
  t.deepEqual((await subscriptionOf(workspace)).subscribedAt, again);
});

for (const [how, disable] of [
  ['a user', (workspace, webhookId) => callOn('webhooks.disable', workspace, webhookId)],
  [
    'a 410',
    ({ workspaceId }, webhookId) =>
      bench().bus.call(
        'webhooks.shut-off',
        { workspaceId, webhookId, reason: 'it answered 410' },
        callAsSystem(),
      ),
  ],
  [
    'consecutive failures',
    (workspace, webhookId) => failSince(bench(), workspace, webhookId, Date.now() - 6 * dayMs),
  ],
] as [string, (workspace: Workspace, webhookId: string) => Promise<unknown>][])
  test(`tells dispatchers the last period in which a webhook was disabled by ${how}`, async (t) => {
    const { workspace, webhookId } = await makeOne();
    const disabling = await during(() => disable(workspace, webhookId));
    t.is((await subscriptionOf(workspace)).lastDisabled, null);
    // The first time counts.
    await callOn('webhooks.disable', workspace, webhookId);
    const enabling = await during(() => callOn('webhooks.enable', workspace, webhookId));
    const period = (await subscriptionOf(workspace)).lastDisabled!;
    t.true(isWithin(period.from, disabling) && isWithin(period.until, enabling));
    // It was enabled already.
    await callOn('webhooks.enable', workspace, webhookId);
    t.deepEqual((await subscriptionOf(workspace)).lastDisabled, period);
  });

test('returns no disabled period if the previous release enabled a webhook in between', async (t) => {
  const { workspace, webhookId } = await makeOne();
  await callOn('webhooks.disable', workspace, webhookId);
  // What the previous release writes to enable a webhook, and to disable it again.
  const text = `update webhooks.webhooks set forgiven_at = now() + interval '1 second' where workspace_id = $1`;
  await bench().database.query({ name: 'test.previous-release', text }, [
    uuidOf('workspace', workspace.workspaceId),
  ]);
  await callOn('webhooks.enable', workspace, webhookId);
  t.is((await subscriptionOf(workspace)).lastDisabled, null);
});

interface Interval {
  from: number;
  until: number;
}

async function during(action: () => Promise<unknown>): Promise<Interval> {
  const from = Date.now();
  await action();
  return { from, until: Date.now() };
}

const isWithin = (moment: string, { from, until }: Interval): boolean =>
  Date.parse(moment) >= from && Date.parse(moment) <= until;

async function makeOne(events?: EventKind[]) {
  const workspace = makeWorkspace();
  const { id: webhookId } = await makeWebhook(bench(), workspace, events && { events });
  return { workspace, webhookId };
}

const subscriptionOf = async (workspace: Workspace) =>
  (await subscriptionsOf(bench(), workspace))[0]!;

const callOn = (
  name: 'webhooks.enable' | 'webhooks.disable',
  workspace: Workspace,
  webhookId: string,
) => bench().bus.call(name, { webhookId }, callAs(workspace));

const changeEvents = (workspace: Workspace, webhookId: string, events: EventKind[]) =>
  during(() => bench().bus.call('webhooks.update', { webhookId, events }, callAs(workspace)));
