import { eventKinds, type SubscribableKind } from '@roster/contracts';
import { eventually } from '@roster/testing';
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

test('tells dispatchers when the filter of a webhook was changed', async (t) => {
  const { workspace, webhookId } = await makeOne(['CONTACT_CREATED']);
  const update = (input: object) =>
    bench().bus.call('webhooks.update', { webhookId, ...input }, callAs(workspace));
  const changedAt = async () => (await subscriptionOf(workspace)).filterChangedAt;
  await update({ filter: null, description: 'New' });
  t.is(await changedAt(), null);
  await update({ filter: { tag: ['vip'] } });
  const first = await changedAt();
  t.truthy(first);
  await update({ filter: { tag: ['vip'] } });
  t.is(await changedAt(), first);
  await eventually(() => new Date().toISOString() > first!);
  await update({ filter: null });
  t.true((await changedAt())! > first!);
});

test('all kinds keep the times of those that the webhook had, in both directions', async (t) => {
  const { workspace, webhookId } = await makeOne(['CONTACT_CREATED', 'CONTACT_UPDATED']);
  await changeEvents(workspace, webhookId, ['CONTACT_CREATED', 'CONTACT_DELETED']);
  const { createdAt, subscribedAt: former } = await subscriptionOf(workspace);
  const change = await changeEvents(workspace, webhookId, ['*']);
  const all = await subscriptionOf(workspace);
  // Dispatchers of the former release know only kinds by their names.
  t.deepEqual(all.events, ['*', ...eventKinds]);
  const { '*': since, ...times } = all.subscribedAt!;
  t.true(isWithin(since!, change));
  t.is(times['CONTACT_CREATED'], createdAt);
  t.is(times['CONTACT_DELETED'], former!['CONTACT_DELETED']);
  for (const kind of eventKinds.filter(
    (one) => !['CONTACT_CREATED', 'CONTACT_DELETED'].includes(one),
  ))
    t.is(times[kind], since, kind);
  await changeEvents(workspace, webhookId, ['*']);
  t.deepEqual(await subscriptionOf(workspace), all);
  await changeEvents(workspace, webhookId, ['CONTACT_DELETED', 'CONTACT_UPDATED']);
  t.deepEqual((await subscriptionOf(workspace)).subscribedAt, {
    CONTACT_DELETED: former!['CONTACT_DELETED'],
    CONTACT_UPDATED: since,
  });
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

// The others disable webhooks, which are events.
test.serial('tells dispatchers the end of the stream at each of these times', async (t) => {
  const { bus } = bench();
  const publisher = await bus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
  const workspace = makeWorkspace();
  let count = 0;
  const publish = () =>
    publisher.publish({
      ...{ id: `evt-${(count += 1)}`, ...workspace, kind: 'CONTACT_CREATED', body: '{}' },
    });
  const first = await publish();
  const { id: webhookId } = await makeWebhook(bench(), workspace);
  await publish();
  await changeEvents(workspace, webhookId, ['CONTACT_CREATED', 'CONTACT_DELETED']);
  await publish();
  await callOn('webhooks.disable', workspace, webhookId);
  const manager = await bus.link.nats.jetstreamManager();
  const info = () => manager.streams.info('EVENTS');
  await eventually(async () => (await info()).state.last_seq === first + 3);
  await publish();
  await callOn('webhooks.enable', workspace, webhookId);
  await publish();
  // These change none of the times.
  await callOn('webhooks.enable', workspace, webhookId);
  await changeEvents(workspace, webhookId, ['CONTACT_CREATED', 'CONTACT_DELETED']);
  const known = await subscriptionOf(workspace);
  const { createdAt, subscribedAt, lastDisabled, positions } = known;
  const times = [createdAt, subscribedAt!['CONTACT_DELETED'], lastDisabled!.from];
  t.deepEqual(
    [...times, lastDisabled!.until].map((time) => positions![time!]?.sequence),
    [first, first + 1, first + 2, first + 4],
  );
  t.is(Object.keys(positions!).length, 4);
  const { created, state } = await info();
  t.is(positions![createdAt!]!.stream, created);
  t.true(positions![createdAt!]!.storedNs < positions![lastDisabled!.until]!.storedNs);
  t.is(state.last_seq, first + 5);

  // Positions of times that it no longer has are dropped.
  await changeEvents(workspace, webhookId, ['CONTACT_CREATED']);
  t.is(Object.keys((await subscriptionOf(workspace)).positions!).length, 3);
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

async function makeOne(events?: SubscribableKind[]) {
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

const changeEvents = (workspace: Workspace, webhookId: string, events: SubscribableKind[]) =>
  during(() => bench().bus.call('webhooks.update', { webhookId, events }, callAs(workspace)));
