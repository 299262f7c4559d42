import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { observations } from '../observations.js';
import { startReceiver } from '../receiver.js';
import { patience, startRoster, type RunningRoster } from '../running-roster.js';
import { newFrontend, range, soon } from './frontend.js';

let roster: RunningRoster;
test.before(async (t) => {
  t.timeout(120_000);
  roster = await startRoster({ env: patience });
});
test.after.always(() => roster.discard());

interface Delivery {
  id: string;
  kind: string;
  status: string;
  payload: { event: string; data: { contact: { email: string } } };
  attempts: { trigger: string; statusCode: number }[];
  webhook: { url: string };
}
interface DeliveryPage {
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string;
    endCursor: string;
  };
  nodes: Delivery[];
}
interface Stats {
  hours: { successes: number }[];
}

/** A webhook that has received the creation of some contacts; its deliveries, newest first. */
async function newWebhook(t: ExecutionContext, name: string, contacts: number) {
  const frontend = await newFrontend(roster, name);
  const { ask } = frontend;
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const { createWebhook } = await ask<{ createWebhook: { webhook: { id: string } } }>(
    `mutation ($url: String!) { createWebhook(input: {url: $url, events: [CONTACT_CREATED]}) { webhook { id } } }`,
    { url: receiver.url },
  );
  const { id } = createWebhook.webhook;
  for (const n of range(contacts))
    await ask(`mutation { createContact(input: {email: "n${n}@example.com"}) { contact { id } } }`);
  const page = async (args: string) => {
    const data = await ask<{ webhook: { deliveries: DeliveryPage } }>(
      `query ($id: ID!) { webhook(id: $id) { deliveries(${args}) {
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        nodes { id kind status webhook { url } payload attempts { trigger statusCode } } } } }`,
      { id },
    );
    return data.webhook.deliveries;
  };
  const delivered = await eventually(async () => {
    const { nodes } = await page('first: 100, status: DELIVERED');
    return nodes.length === contacts && nodes;
  }, soon);
  const get = async (delivery: string) => {
    const document = `{ node(id: "${delivery}") { ... on Delivery { id status attempts { trigger statusCode } } } }`;
    return (await ask<{ node: Delivery }>(document)).node;
  };
  return { ...frontend, receiver, id, page, delivered, get };
}

test('a frontend pages through the deliveries of its webhook, newest first, in both directions', async (t) => {
  t.timeout(60_000);
  const { attempt, delivered, id, page, receiver } = await newWebhook(t, 'Deliveries', 5);
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

test('a frontend retries a delivery and sends a test delivery, and the statistics count all attempts', async (t) => {
  t.timeout(60_000);
  const { ask, delivered, get, id } = await newWebhook(t, 'Retries', 1);
  const [{ id: delivery }] = delivered as [Delivery];
  await ask(`mutation { retryDelivery(input: {id: "${delivery}"}) { delivery { status } } }`);
  const retried = await eventually(async () => {
    const { attempts } = await get(delivery);
    return attempts.length === 2 && attempts;
  }, soon);
  t.like(retried[1], { trigger: 'MANUAL', statusCode: 200 });

  const { testWebhook } = await ask<{ testWebhook: { delivery: Delivery } }>(
    `mutation { testWebhook(input: {id: "${id}", kind: CONTACT_DELETED}) { delivery { id payload } } }`,
  );
  t.like(testWebhook.delivery.payload, { event: 'CONTACT_DELETED', test: true });
  await eventually(async () => (await get(testWebhook.delivery.id)).status === 'DELIVERED', soon);

  await eventually(async () => {
    const { webhook } = await ask<{ webhook: { lastSuccessAt: string | null; stats: Stats } }>(
      `{ webhook(id: "${id}") { status lastSuccessAt stats { hours { hour attempts successes p50Ms } } } }`,
    );
    const successes = webhook.stats.hours.reduce((sum, hour) => sum + hour.successes, 0);
    return webhook.lastSuccessAt !== null && successes >= 3;
  }, soon);
  t.pass();
});

test('a frontend replays the events of its webhook after a dry run that counts them', async (t) => {
  t.timeout(60_000);
  const { ask, id, receiver } = await newWebhook(t, 'Replays', 5);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const replay = (dryRun: boolean) =>
    ask<{ createReplay: { total: number; replay: { id: string } | null } }>(
      `mutation ($input: CreateReplayInput!) { createReplay(input: $input) { total replay { id } } }`,
      { input: { webhookId: id, since, kinds: ['CONTACT_CREATED'], dryRun } },
    );
  t.deepEqual((await replay(true)).createReplay, { total: 5, replay: null });
  const got = receiver.received.length;
  const { createReplay } = await replay(false);
  await eventually(async () => {
    const data = await ask<{ replay: { done: number; status: string } }>(
      `query ($id: ID!) { replay(id: $id) { total done status webhook { id } } }`,
      { id: createReplay.replay!.id },
    );
    return data.replay.status === 'COMPLETED' && data.replay.done === 5;
  }, soon);
  await eventually(() => receiver.received.length >= got + 5, soon);
  const cancelled = await ask<{ cancelReplay: { replay: { status: string } } }>(
    `mutation { cancelReplay(input: {id: "${createReplay.replay!.id}"}) { replay { status } } }`,
  );
  t.is(cancelled.cancelReplay.replay.status, 'COMPLETED', 'a completed replay stays completed');

  const stranger = await newFrontend(roster, 'Stranger to replays');
  const theirs = await stranger.ask(`{ replay(id: "${createReplay.replay!.id}") { id } }`);
  t.deepEqual(theirs, { replay: null });
});

test("another workspace's delivery is unknown: it is neither shown nor retried", async (t) => {
  t.timeout(60_000);
  const { delivered } = await newWebhook(t, 'Owner of a delivery', 1);
  const stranger = await newFrontend(roster, 'Stranger to deliveries');
  const { id } = delivered[0]!;
  t.deepEqual(await stranger.ask(`{ delivery(id: "${id}") { id } }`), { delivery: null });
  const refused = await stranger.attempt(
    `mutation { retryDelivery(input: {id: "${id}"}) { delivery { id } } }`,
  );
  t.is(refused.errors?.[0]?.extensions.code, 'not_found');
});

// Serial, because other tests read deliveries and statistics too.
test.serial(
  'the recent deliveries of 50 webhooks with payloads, attempts and statistics cost at most 4 NATS requests per operation, with one statement each',
  async (t) => {
    t.timeout(60_000);
    const { ask } = await newFrontend(roster, 'Fifty webhooks');
    const receiver = await startReceiver();
    t.teardown(() => receiver.stop());
    const fields = range(50).map(
      (n) =>
        `w${n}: createWebhook(input: {url: "${receiver.url}?${n}", events: [CONTACT_CREATED]}) { webhook { id } }`,
    );
    await ask(`mutation { ${fields.join('\n')} }`);
    await ask('mutation { createContact(input: {email: "one@example.com"}) { contact { id } } }');
    const recent = () =>
      ask<{ webhooks: { id: string; stats: Stats; deliveries: { nodes: WholeDelivery[] } }[] }>(
        `{ webhooks { id stats { hours { successes } }
        deliveries(first: 5) { nodes { id webhookId status payload attempts { number } } } } }`,
      );
    // The dispatcher writes its statistics every few seconds.
    const webhooks = await eventually(async () => {
      const data = await recent();
      return (
        data.webhooks.every(
          ({ stats, deliveries }) => stats.hours.length > 0 && deliveries.nodes.length === 1,
        ) && data.webhooks
      );
    }, soon);
    t.is(webhooks.length, 50);
    for (const { id, stats, deliveries } of webhooks) {
      const [{ webhookId, payload, attempts }] = deliveries.nodes as [WholeDelivery];
      t.is(webhookId, id);
      t.is(payload.data.contact.email, 'one@example.com');
      t.is(attempts.length, 1);
      t.is(stats.hours.at(-1)!.successes, 1);
    }

    const costs: Cost[][] = [];
    for (const _ of range(5)) costs.push(await costsOf(recent));
    // On a loaded machine the calls of one document may be sent in several batches.
    t.true(
      costs.some(
        (cost) =>
          cost[0]!.requests === 1 &&
          cost.every(({ requests, statements }) => requests <= 4 && statements === requests),
      ),
      JSON.stringify(costs),
    );
  },
);

interface Cost {
  requests: number;
  statements: number;
}

/** What the operations cost that `work` calls. */
async function costsOf(work: () => Promise<unknown>): Promise<Cost[]> {
  const count = () =>
    Promise.all([
      costOf('deliveries.list', 'dispatcher.list-all-newest'),
      costOf('deliveries.get', 'dispatcher.get'),
      costOf('webhooks.stats', 'dispatcher.stats'),
    ]);
  const before = await count();
  await work();
  const after = await count();
  return after.map(({ requests, statements }, index) => ({
    requests: requests - before[index]!.requests,
    statements: statements - before[index]!.statements,
  }));
}

/** Since the start: NATS requests for an operation of the dispatcher, and executions of its statement. */
const costOf = async (operation: string, statement: string): Promise<Cost> => ({
  requests: await observations(roster, 'dispatcher', 'roster_batch_received_calls', operation),
  statements: await observations(
    roster,
    'dispatcher',
    'roster_statement_duration_seconds',
    statement,
  ),
});

interface WholeDelivery {
  webhookId: string;
  payload: { data: { contact: { email: string } } };
  attempts: { number: number }[];
}
