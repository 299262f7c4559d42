import { eventually } from '@roster/testing';
import test from 'ava';
import { sharedRoster, type SharedRoster } from '../running-roster.js';
import { newFrontend, range, soon } from './frontend.js';
import { newWebhook, type Delivery, type DeliveryPage } from './new-webhook.js';

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});

test('a frontend pages through the deliveries of its webhook, newest first, in both directions', async (t) => {
  t.timeout(60_000);
  const { attempt, delivered, id, page, receiver } = await newWebhook(t, roster, 'Deliveries', 5);
  t.deepEqual(
    delivered.map(({ payload }) => payload.data.contact.email),
    range(5).map((n) => `n${4 - n}@example.com`),
  );
  t.like(delivered[0], { kind: 'CONTACT_CREATED', webhook: { url: receiver.url } });
  t.deepEqual(delivered[0]!.attempts, [{ trigger: 'EVENT', statusCode: 200 }]);

  const idsOf = ({ nodes }: DeliveryPage) => nodes.map((delivery) => delivery.id);
  const first = await page('first: 2');
  t.like(first.pageInfo, { hasNextPage: true, hasPreviousPage: false });
  const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`);
  const last = await page('last: 1');
  t.deepEqual(
    [first, second, last].flatMap(idsOf),
    delivered.map((delivery) => delivery.id),
  );
  t.like(last.pageInfo, { hasNextPage: false, hasPreviousPage: true });
  t.deepEqual(await page(`last: 2, before: "${last.pageInfo.startCursor}"`), second);
  const bad = await attempt(
    `{ webhook(id: "${id}") { deliveries(first: 1, after: "junk") { nodes { id } } } }`,
  );
  t.is(bad.errors?.[0]?.extensions.errors?.[0]?.pointer, '/after');
});

test('a frontend retries a delivery and sends a test delivery, and the statistics count the attempts of events', async (t) => {
  t.timeout(60_000);
  const { query, delivered, get, id } = await newWebhook(t, roster, 'Retries', 1);
  const [{ id: delivery }] = delivered as [Delivery];
  await query(`mutation { retryDelivery(input: {id: "${delivery}"}) { delivery { status } } }`);
  const retried = await eventually(async () => {
    const { attempts } = await get(delivery);
    return attempts.length === 2 && attempts;
  }, soon);
  t.like(retried[1], { trigger: 'MANUAL', statusCode: 200 });

  const { testWebhook } = await query<{ testWebhook: { delivery: Delivery } }>(
    `mutation { testWebhook(input: {id: "${id}", kind: CONTACT_DELETED}) { delivery { id payload } } }`,
  );
  t.like(testWebhook.delivery.payload, { event: 'CONTACT_DELETED', test: true });
  await eventually(async () => (await get(testWebhook.delivery.id)).status === 'DELIVERED', soon);

  await eventually(async () => {
    const { webhook } = await query<{
      webhook: { lastSuccessAt: string | null; stats: { hours: { successes: number }[] } };
    }>(
      `{ webhook(id: "${id}") { status lastSuccessAt stats { hours { hour attempts successes p50Ms } } } }`,
    );
    const successes = webhook.stats.hours.reduce((sum, hour) => sum + hour.successes, 0);
    return webhook.lastSuccessAt !== null && successes === 2;
  }, soon);
  t.pass();
});

test('a frontend replays the events of its webhook after a dry run that counts them', async (t) => {
  t.timeout(60_000);
  const { query, id, receiver } = await newWebhook(t, roster, 'Replays', 5);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const replay = (dryRun: boolean) =>
    query<{ createReplay: { total: number; replay: { id: string } | null } }>(
      `mutation ($input: CreateReplayInput!) { createReplay(input: $input) { total replay { id } } }`,
      { input: { webhookId: id, since, kinds: ['CONTACT_CREATED'], dryRun } },
    );
  t.deepEqual((await replay(true)).createReplay, { total: 5, replay: null });
  const got = receiver.received.length;
  const { createReplay } = await replay(false);
  await eventually(async () => {
    const data = await query<{ replay: { done: number; status: string } }>(
      `query ($id: ID!) { replay(id: $id) { total done status webhook { id } } }`,
      { id: createReplay.replay!.id },
    );
    return data.replay.status === 'COMPLETED' && data.replay.done === 5;
  }, soon);
  await eventually(() => receiver.received.length >= got + 5, soon);
  const cancelled = await query<{ cancelReplay: { replay: { status: string } } }>(
    `mutation { cancelReplay(input: {id: "${createReplay.replay!.id}"}) { replay { status } } }`,
  );
  t.is(cancelled.cancelReplay.replay.status, 'COMPLETED', 'a completed replay stays completed');

  const other = await newFrontend(roster, 'Other workspace than the replays');
  const theirs = await other.query(`{ replay(id: "${createReplay.replay!.id}") { id } }`);
  t.deepEqual(theirs, { replay: null });
});

test("another workspace's delivery is unknown: it is neither shown nor retried", async (t) => {
  t.timeout(60_000);
  const { delivered } = await newWebhook(t, roster, 'Owner of a delivery', 1);
  const other = await newFrontend(roster, 'Other workspace than the deliveries');
  const { id } = delivered[0]!;
  t.deepEqual(await other.query(`{ delivery(id: "${id}") { id } }`), { delivery: null });
  const refused = await other.attempt(
    `mutation { retryDelivery(input: {id: "${id}"}) { delivery { id } } }`,
  );
  t.is(refused.errors?.[0]?.extensions.code, 'not_found');
});
