import { encodeId, type EventKind } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { makeEvent } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';

const ids = new IdClock();

test('an event about a webhook is delivered to the others, with all kinds or this one, and never to itself', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const concerned = running.addWebhook(receiver.url, { events: ['*'], payload: 'full' });
  const others = [
    running.addWebhook(receiver.url, { events: ['*'] }),
    running.addWebhook(receiver.url, { events: ['WEBHOOK_FAILING'], payload: 'full' }),
  ];
  // Filters are about contacts.
  const filtered = running.addWebhook(receiver.url, {
    events: ['*'],
    filter: { tag: ['missing'] },
  });
  const id = await publish(running, 'WEBHOOK_FAILING', concerned.id);
  for (const other of others)
    await eventually(async () => (await running.delivery(id, other))?.status === 'delivered');
  t.is(await running.delivery(id, concerned), undefined);
  t.is(await running.delivery(id, filtered), undefined);
  const bodies = receiver.hits.map(({ body }) => JSON.parse(body) as object);
  t.deepEqual(bodies[0], bodies[1]);
  t.like(bodies[0], { event: 'WEBHOOK_FAILING', data: { webhook: { id: concerned.id } } });
});

/** Returns the raw ID of the event. */
async function publish(running: RunningDispatcher, kind: EventKind, webhookId: string) {
  const webhook = { id: webhookId, description: null, failingSince: null, disabledReason: null };
  const { id, body } = makeEvent(ids, running.workspace.id, 'WEBHOOK_FAILING', { webhook });
  const workspaceId = running.workspace.outside;
  await running.publisher.publish({ id: encodeId('event', id), workspaceId, kind, body });
  return id;
}
