import { eventually } from '@roster/testing';
import test from 'ava';
import { Client, openRoster } from './client.js';
import { startReceiver } from './receiver.js';
import { sharedRoster } from './running-roster.js';
import { subscribed } from './subscribed-receiver.js';

test('webhooks receive that another one fails and was disabled, and nothing about themselves', async (t) => {
  const roster = await sharedRoster(t);
  const access = { baseUrl: roster.baseUrl, ...(await roster.newWorkspace('Webhooks')) };
  const client = openRoster(access);
  const { received } = await subscribed(t, client, { events: ['*'] });
  const broken = await startReceiver();
  t.teardown(() => broken.stop());
  const { id } = await client.webhooks.create({
    url: `${broken.url}/missing`,
    events: ['*'],
    description: 'Invoices',
  });
  await broken.stop();
  await client.webhooks.test(id, { kind: 'CONTACT_CREATED' });
  const bodies = () =>
    received.map(({ body: { event, data } }) => ({ event, data: data as object }));
  await eventually(() => bodies().length === 1, { timeoutMs: 60_000 });
  await client.webhooks.disable(id);
  await eventually(() => bodies().length === 2, { timeoutMs: 60_000 });
  const { failingSince } = (bodies()[0]!.data as { webhook: { failingSince: string } }).webhook;
  const webhook = { id, description: 'Invoices', failingSince, disabledReason: null };
  t.deepEqual(bodies(), [
    { event: 'WEBHOOK_FAILING', data: { webhook } },
    {
      event: 'WEBHOOK_DISABLED',
      data: { webhook: { ...webhook, disabledReason: 'Disabled by a user.' } },
    },
  ]);
  const { deliveries } = await client.deliveries.list(id);
  t.deepEqual(
    deliveries.map(({ kind }) => kind),
    ['CONTACT_CREATED'],
  );
  const { events } = await client.eventLog.list({ kinds: ['WEBHOOK_DISABLED', 'WEBHOOK_FAILING'] });
  t.deepEqual(
    events.map(({ kind, data }) => ({ event: kind, data: data as object })),
    bodies(),
  );
  const query = `{ eventLog(first: 1, order: DESC) {
    nodes { kind ... on WebhookEvent { webhook { id description failingSince disabledReason } } }
  } }`;
  const answer = await new Client(access).post<{ data: Record<string, { nodes: object[] }> }>(
    '/graphql',
    { query },
  );
  t.deepEqual(answer.body.data['eventLog']!.nodes, [
    { kind: 'WEBHOOK_DISABLED', ...bodies()[1]!.data },
  ]);
});
