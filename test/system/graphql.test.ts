import { Client as UrqlClient, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { eventually } from '@roster/testing';
import test from 'ava';
import { createClient as createSseClient } from 'graphql-sse';
import { Client, inParallel } from './client.js';
import { observations } from './observations.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

const soon = { timeoutMs: 30_000 };

let roster: RunningRoster;
test.before(async (t) => {
  t.timeout(120_000);
  roster = await startRoster({ env: patience });
});
test.after.always(() => roster.discard());

interface GraphqlError {
  path: string[];
  extensions: { code: string; existingId?: string; errors?: { pointer: string }[] };
}

/** Asks as the owner of a workspace that no other test sees. */
async function newFrontend(name: string) {
  const { apiKey } = await roster.newWorkspace(name);
  const client = new Client({ baseUrl: roster.baseUrl, apiKey });
  const attempt = async (query: string, variables: object = {}) =>
    (
      await client.post<{ data: unknown; errors?: GraphqlError[] }>('/graphql', {
        query,
        variables,
      })
    ).body;
  const ask = async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const { data, errors } = await attempt(query, variables);
    if (errors) throw new Error(JSON.stringify(errors));
    return data as Data;
  };
  return { apiKey, url: `${roster.baseUrl}/graphql`, attempt, ask };
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

test('a frontend creates 500 contacts, pages through them with a stock client, and reads 200 at once', async (t) => {
  t.timeout(60_000);
  const { apiKey, url, ask } = await newFrontend('Many contacts');
  const created = await inParallel(range(10), 10, async (part) => {
    const fields = range(50).map(
      (n) =>
        `c${n}: createContact(input: {email: "c${part * 50 + n}@example.com"}) { contact { id } }`,
    );
    const data = await ask<Record<string, { contact: { id: string } }>>(
      `mutation { ${fields.join('\n')} }`,
    );
    return Object.values(data).map(({ contact }) => contact.id);
  });
  const ids = created.flat();

  const client = new UrqlClient({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${apiKey}` } },
    exchanges: [
      cacheExchange({ resolvers: { Query: { contacts: relayPagination() } } }),
      fetchExchange,
    ],
  });
  const document = `query ($after: String) {
    contacts(first: 100, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } edges { cursor node { id } }
    }
  }`;
  let pages = 0;
  let seen: string[] = [];
  for (let after: string | undefined, more = true; more; pages += 1) {
    const { data, error } = await client.query<Contacts>(document, { after }).toPromise();
    if (!data) throw error ?? new Error('no data');
    const { totalCount, pageInfo, edges } = data.contacts;
    t.is(totalCount, 500);
    seen = edges.map(({ node }) => node.id);
    ({ hasNextPage: more, endCursor: after } = pageInfo);
  }
  t.is(pages, 5);
  t.deepEqual(seen, seen.toSorted(), 'in the order of their creation');
  t.deepEqual(seen, ids.toSorted());

  const wanted = ids.slice(0, 200);
  const aliases = wanted.map((id, n) => `c${n}: contact(id: "${id}") { id email }`);
  const found = await ask<Record<string, { id: string }>>(`{ ${aliases.join('\n')} }`);
  t.deepEqual(
    Object.values(found).map(({ id }) => id),
    wanted,
  );
});

interface Contacts {
  contacts: {
    totalCount: number;
    pageInfo: { hasNextPage: boolean; endCursor: string };
    edges: { node: { id: string } }[];
  };
}

test('errors say what was wrong and where, as REST does, and leave the rest of the answer whole', async (t) => {
  const { attempt, ask } = await newFrontend('Errors');
  const create = `mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }`;
  const wrong = await attempt(create, { input: { email: 'x', tags: [''] } });
  t.like(wrong.errors?.[0], { path: ['createContact'], extensions: { code: 'invalid' } });
  t.deepEqual(
    wrong.errors?.[0]?.extensions.errors?.map(({ pointer }) => pointer),
    ['/email', '/tags/0'],
  );
  const input = { email: 'ada@example.com' };
  const { createContact } = await ask<{ createContact: { contact: { id: string } } }>(create, {
    input,
  });
  const again = await attempt(create, { input: { email: 'ADA@example.com' } });
  const existingId = createContact.contact.id;
  t.like(again.errors?.[0]?.extensions, { code: 'conflict', existingId });

  const stranger = await newFrontend('Stranger');
  const theirs = await stranger.ask(`{ contact(id: "${existingId}") { id } me { name } }`);
  t.deepEqual(theirs, { contact: null, me: { name: 'Owner' } });
  const change = `mutation ($id: ID!) { updateContact(input: {id: $id, name: "Mine"}) { contact { id } } }`;
  const missing = await stranger.attempt(change, { id: existingId });
  t.is(missing.errors?.[0]?.extensions.code, 'not_found');
  const partial = await attempt('{ me { name } contacts(first: 1000) { totalCount } }');
  t.deepEqual(partial.data, { me: { name: 'Owner' }, contacts: null });
  t.is(partial.errors?.[0]?.extensions.errors?.[0]?.pointer, '/first');
});

interface Attempt {
  trigger: string;
  statusCode: number;
}
interface Delivery {
  id: string;
  kind: string;
  status: string;
  payload: { event: string; data: { contact: { email: string } } };
  attempts: Attempt[];
  webhook: { url: string };
}

test('a frontend sees what its webhook got, and retries, tests and replays it', async (t) => {
  t.timeout(60_000);
  const { ask, attempt } = await newFrontend('Deliveries');
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const { createWebhook } = await ask<{ createWebhook: { webhook: { id: string } } }>(
    `mutation ($url: String!) { createWebhook(input: {url: $url, events: [CONTACT_CREATED]}) { webhook { id } } }`,
    { url: receiver.url },
  );
  const { id } = createWebhook.webhook;
  for (const n of range(5))
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
  const all = await eventually(async () => {
    const { nodes } = await page('first: 100, status: DELIVERED');
    return nodes.length === 5 && nodes;
  }, soon);
  t.deepEqual(
    all.map(({ payload }) => payload.data.contact.email),
    range(5).map((n) => `n${4 - n}@example.com`),
    'newest first',
  );
  t.like(all[0], { kind: 'CONTACT_CREATED', webhook: { url: receiver.url } });
  t.deepEqual(all[0]!.attempts, [{ trigger: 'EVENT', statusCode: 200 }]);

  const idsOf = ({ nodes }: DeliveryPage) => nodes.map((delivery) => delivery.id);
  const first = await page('first: 2');
  t.like(first.pageInfo, { hasNextPage: true, hasPreviousPage: false });
  const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`);
  const last = await page('last: 1');
  t.deepEqual(
    [first, second, last].flatMap(idsOf),
    all.map((delivery) => delivery.id),
  );
  t.like(last.pageInfo, { hasNextPage: false, hasPreviousPage: true });
  t.deepEqual(await page(`last: 2, before: "${last.pageInfo.startCursor}"`), second);

  const get = async (delivery: string) =>
    (
      await ask<{ node: Delivery }>(
        `{ node(id: "${delivery}") { ... on Delivery { id status attempts { trigger statusCode } } } }`,
      )
    ).node;
  await ask(`mutation { retryDelivery(input: {id: "${all[0]!.id}"}) { delivery { status } } }`);
  const retried = await eventually(async () => {
    const { attempts } = await get(all[0]!.id);
    return attempts.length === 2 && attempts;
  }, soon);
  t.like(retried[1], { trigger: 'MANUAL', statusCode: 200 });

  const { testWebhook } = await ask<{ testWebhook: { delivery: Delivery } }>(
    `mutation { testWebhook(input: {id: "${id}", kind: CONTACT_DELETED}) { delivery { id payload } } }`,
  );
  t.like(testWebhook.delivery.payload, { event: 'CONTACT_DELETED', test: true });
  await eventually(async () => (await get(testWebhook.delivery.id)).status === 'DELIVERED', soon);

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
  t.is(cancelled.cancelReplay.replay.status, 'COMPLETED', 'one that has ended stays so');

  const { webhook } = await eventually(async () => {
    const data = await ask<{ webhook: { lastSuccessAt: string | null; stats: Stats } }>(
      `{ webhook(id: "${id}") { status lastSuccessAt stats { hours { hour attempts successes p50Ms } } } }`,
    );
    return data.webhook.lastSuccessAt !== null && data.webhook.stats.hours.length > 0 && data;
  }, soon);
  t.true(webhook.stats.hours.reduce((sum, { successes }) => sum + successes, 0) >= 7);

  const stranger = await newFrontend('Stranger to deliveries');
  const theirs = await stranger.ask(
    `{ delivery(id: "${all[0]!.id}") { id } replay(id: "${createReplay.replay!.id}") { id } }`,
  );
  t.deepEqual(theirs, { delivery: null, replay: null });
  const refused = await stranger.attempt(
    `mutation { retryDelivery(input: {id: "${all[0]!.id}"}) { delivery { id } } }`,
  );
  t.is(refused.errors?.[0]?.extensions.code, 'not_found');
  const bad = await attempt(
    `{ webhook(id: "${id}") { deliveries(first: 1, after: "junk") { nodes { id } } } }`,
  );
  t.is(bad.errors?.[0]?.extensions.errors?.[0]?.pointer, '/after');
});

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

// Alone, for others ask for deliveries and statistics too.
test.serial(
  'the recent deliveries of 50 webhooks, their payloads, attempts and statistics cost a handful of NATS requests, and a statement each',
  async (t) => {
    t.timeout(60_000);
    const { ask } = await newFrontend('Fifty webhooks');
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
    // Attempts are counted for the statistics every few seconds.
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

    // A busy machine may spread one round over more turns.
    const count = () =>
      Promise.all([
        costOf('deliveries.list', 'dispatcher.list-all-newest'),
        costOf('deliveries.get', 'dispatcher.get'),
        costOf('webhooks.stats', 'dispatcher.stats'),
      ]);
    const costs: Cost[][] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = await count();
      await recent();
      const after = await count();
      costs.push(
        after.map(({ requests, statements }, index) => ({
          requests: requests - before[index]!.requests,
          statements: statements - before[index]!.statements,
        })),
      );
    }
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

/** What an operation of the dispatcher has cost since the start: NATS requests, and executions of its statement. */
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

test('a subscription gets an event of the workspace as it happens, and goes on from it later', async (t) => {
  t.timeout(60_000);
  const { apiKey, url, ask } = await newFrontend('Subscription');
  const stream = createSseClient({ url, headers: { authorization: `Bearer ${apiKey}` } });
  t.teardown(() => stream.dispose());
  const create = (email: string) =>
    ask(`mutation { createContact(input: {email: "${email}"}) { contact { id } } }`);
  const document = `subscription ($after: ID) { events(kinds: [CONTACT_CREATED], after: $after) {
    id kind ... on ContactEvent { contact { email } } } }`;
  const listen = (after?: string) => {
    const events: { id: string; contact: { email: string } }[] = [];
    const end = stream.subscribe<{ events: (typeof events)[number] }>(
      { query: document, variables: { after: after ?? null } },
      {
        next: ({ data }) => void (data && events.push(data.events)),
        error: () => {},
        complete: () => {},
      },
    );
    return { events, end };
  };

  const live = listen();
  let n = 0;
  // When it listens is not told: what happens before is not for it.
  await eventually(async () => {
    await create(`live${n++}@example.com`);
    return live.events.length > 0;
  }, soon);
  live.end();
  const [first] = live.events;
  t.regex(first!.contact.email, /^live\d+@example\.com$/);

  await create('while-away@example.com');
  const resumed = listen(first!.id);
  const emails = () => resumed.events.map(({ contact }) => contact.email);
  await eventually(() => emails().includes('while-away@example.com'), soon);
  t.false(emails().includes(first!.contact.email));
  resumed.end();
});
