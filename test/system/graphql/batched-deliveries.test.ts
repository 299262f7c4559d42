import { eventually } from '@roster/testing';
import test from 'ava';
import { observations } from '../observations.js';
import { startReceiver } from '../receiver.js';
import { patience, startRoster, type RunningRoster } from '../running-roster.js';
import { newFrontend, range, soon } from './frontend.js';

test('the recent deliveries of 50 webhooks with payloads and attempts, and the statistics of 10, cost at most 4 NATS requests per operation, with one statement each', async (t) => {
  const roster = await startRoster({ t, env: patience });
  t.teardown(() => roster.discard());
  const { query } = await newFrontend(roster, 'Fifty webhooks');
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const fields = range(50).map(
    (n) =>
      `w${n}: createWebhook(input: {url: "${receiver.url}?${n}", events: [CONTACT_CREATED]}) { webhook { id } }`,
  );
  await query(`mutation { ${fields.join('\n')} }`);
  await query('mutation { createContact(input: {email: "one@example.com"}) { contact { id } } }');
  const recent = async () => {
    const { webhooks } = await query<{ webhooks: Listed[] }>(
      `{ webhooks(first: 50) { id
        deliveries(first: 2) { nodes { id webhookId status payload attempts(last: 3) { number } } } } }`,
    );
    const { measured } = await query<{ measured: { stats: Stats }[] }>(
      '{ measured: webhooks(first: 10) { stats { hours { successes } } } }',
    );
    return { webhooks, measured };
  };
  // The dispatcher writes its statistics every few seconds.
  const { webhooks, measured } = await eventually(async () => {
    const data = await recent();
    const isDelivered = data.webhooks.every(
      ({ deliveries }) => deliveries.nodes[0]?.attempts.length === 1,
    );
    return isDelivered && data.measured.every(({ stats }) => stats.hours.length > 0) && data;
  }, soon);
  t.is(webhooks.length, 50);
  for (const { stats } of measured) t.is(stats.hours.at(-1)!.successes, 1);
  for (const { id, deliveries } of webhooks) {
    const [{ webhookId, payload, attempts }] = deliveries.nodes as [WholeDelivery];
    t.is(webhookId, id);
    t.is(payload.data.contact.email, 'one@example.com');
    t.is(attempts.length, 1);
  }

  const costs: Cost[][] = [];
  for (const _ of range(5)) costs.push(await costsOf(roster, recent));
  // On a loaded machine the calls of one document may be sent in several batches.
  t.true(
    costs.some(
      (cost) =>
        cost[0]!.requests === 1 &&
        cost.every(({ requests, statements }) => requests <= 4 && statements === requests),
    ),
    JSON.stringify(costs),
  );
});

interface Listed {
  id: string;
  deliveries: { nodes: WholeDelivery[] };
}

interface Stats {
  hours: { successes: number }[];
}

interface Cost {
  requests: number;
  statements: number;
}

/** The NATS requests and statements of `work`, per operation of the dispatcher. */
async function costsOf(roster: RunningRoster, work: () => Promise<unknown>): Promise<Cost[]> {
  const count = () =>
    Promise.all([
      costOf(roster, 'deliveries.list', 'dispatcher.list-newest'),
      costOf(roster, 'deliveries.get', 'dispatcher.get'),
      costOf(roster, 'webhooks.stats', 'dispatcher.stats'),
    ]);
  const before = await count();
  await work();
  const after = await count();
  return after.map(({ requests, statements }, index) => ({
    requests: requests - before[index]!.requests,
    statements: statements - before[index]!.statements,
  }));
}

/** NATS requests for an operation of the dispatcher, and executions of its statement, since the process started. */
const costOf = async (
  roster: RunningRoster,
  operation: string,
  statement: string,
): Promise<Cost> => ({
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
