import { encodeId, uuidOf, type EventBody } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { OutboxRow, Session } from '@roster/storage';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import type { Outcome } from '../../delivery/delivery.js';
import { announceDead } from '../../queue/announce-dead.js';
import { receiverFor } from '../receiver.js';
import { callerFor } from '../operations/caller.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';

type Body = EventBody<'DELIVERY_DEAD'>;

/** Each delivery has four attempts, and the circuit of the webhook opens meanwhile. */
const patience = { timeoutMs: 60_000 };

test('dead deliveries of a webhook are one event per hour for the others, however many dispatchers have them', async (t) => {
  const { running, failing, bodies } = await setUp(t, 500);
  await running.start();
  const published = await Promise.all(Array.from({ length: 20 }, () => running.publish()));
  const deadOf = async () => {
    const all = await Promise.all(published.map(({ id }) => running.delivery(id, failing)));
    return all.filter((delivery) => delivery?.status === 'dead');
  };
  await eventually(async () => (await deadOf()).length === published.length, patience);
  await eventually(() => bodies().length > 0);
  // They are kept in the outbox, in the transaction that recorded the deliveries.
  t.is((await announced(running)).length, 1);
  const [body] = bodies();
  const { delivery, webhook } = body!.data;
  t.is(webhook.id, failing.id);
  t.like(delivery, { kind: 'CONTACT_CREATED', attemptCount: 4, lastStatusCode: 500 });
  t.true((await deadOf()).some((one) => encodeId('delivery', one!.id) === delivery.id));

  // The circuit of the webhook delays further attempts: what records them is called.
  const [event] = published;
  const outcome: Outcome = {
    delivery: {
      ...{ workspaceId: running.workspace.id, webhookId: uuidOf('webhook', failing.id) },
      ...{ id: event!.id, eventId: event!.id, kind: 'CONTACT_CREATED', body: event!.body },
      ...{ attempts: 3, trigger: 'retry' },
    },
    status: 'dead',
    reason: 'Given up.',
  };
  const announce = async () => {
    let added = 0;
    const outbox = {
      add: async (_: Session, rows: readonly OutboxRow[]) => void (added += rows.length),
    };
    const events = { ids: new IdClock(), outbox };
    await running.database.transaction((session) => announceDead(session, [outcome], events));
    return added;
  };
  t.is(await announce(), 0);
  await passHour(running);
  const [one, other] = await Promise.all([announce(), announce()]);
  t.is(one + other, 1);
  t.is(await announce(), 0);
});

test('a delivery that is dead after its first attempt is announced, and a test is not', async (t) => {
  const { running, failing, bodies } = await setUp(t, 410);
  const call = callerFor(running);
  const tested = await call('webhooks.test', { webhookId: failing.id, kind: 'CONTACT_CREATED' });
  const testId = uuidOf('delivery', tested.delivery.id);
  const text = 'select 1 from dispatcher.deliveries where id = $1 and status = $2';
  await eventually(
    async () =>
      (await running.database.query({ name: 'test.dead', text }, [testId, 'dead'])).length === 1,
  );
  t.is((await announced(running)).length, 0);
  failing.disabledReason = null;
  running.changed();
  const { id } = await running.publish();
  await eventually(() => bodies().length === 1);
  t.is(bodies()[0]!.data.delivery.eventId, encodeId('event', id));
  t.is(bodies()[0]!.data.delivery.reason, 'The receiver answered 410 Gone.');
});

async function setUp(t: ExecutionContext, status: number) {
  const running = await runDispatcher(t);
  const broken = await receiverFor(t, (response) => response.writeHead(status).end());
  const well = await receiverFor(t);
  const failing = running.addWebhook(broken.url, { events: ['CONTACT_CREATED', 'DELIVERY_DEAD'] });
  running.addWebhook(well.url, { events: ['DELIVERY_DEAD'] });
  const bodies = () => well.hits.map(({ body }) => JSON.parse(body) as Body);
  return { running, failing, bodies };
}

const announced = ({ database, workspace }: RunningDispatcher) =>
  database.query(
    { name: 'test.announced', text: 'select 1 from dispatcher.outbox where workspace_id = $1' },
    [workspace.id],
  );

const passHour = ({ database, workspace }: RunningDispatcher) =>
  database.query(
    {
      name: 'test.pass-hour',
      text: `update dispatcher.dead_announcements set announced_at = announced_at - interval '1 hour' where workspace_id = $1`,
    },
    [workspace.id],
  );
