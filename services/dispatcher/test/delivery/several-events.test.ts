import { encodeId, joinEvents, type EventBody } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { makeEvent } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { callerFor, idOf } from '../operations/caller.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';

const ids = new IdClock();
const names = ['a', 'b', 'c', 'd', 'e'];

/** Publishes a message with an event of a contact with each of the names. Returns them. */
async function publishTogether({ publisher, workspace }: RunningDispatcher) {
  const events = names.map((name) => {
    const contact = { id: encodeId('contact', ids.next()), email: 'a@example.com', name };
    const data = { contact: { ...contact, createdAt: '' } };
    const details = JSON.stringify({ contact: { tags: [name] } });
    return { ...makeEvent(ids, workspace.id, 'CONTACT_CREATED', data), details };
  });
  await publisher.publish({
    id: encodeId('event', events[0]!.id),
    workspaceId: workspace.outside,
    kind: 'CONTACT_CREATED',
    body: joinEvents(events),
  });
  return events;
}

const contactIn = (body: string) =>
  (JSON.parse(body) as EventBody<'CONTACT_CREATED'>).data.contact as { name: string };

test('each event of a message is delivered, and after a restart only those without an outcome are sent again', async (t) => {
  const running = await runDispatcher(t);
  let isHanging = true;
  const receiver = await receiverFor(t, (response, { body }) => {
    if (!isHanging || contactIn(body).name !== 'c') response.end();
  });
  const webhook = running.addWebhook(receiver.url, { payload: 'full' });
  const events = await publishTogether(running);
  const recorded = async () => {
    const rows = await Promise.all(events.map(({ id }) => running.delivery(id, webhook)));
    return rows.map((row) => row?.status);
  };
  const delivered = 'delivered';
  await eventually(async () => (await recorded()).filter(Boolean).length === 4);
  t.deepEqual(await recorded(), [delivered, delivered, undefined, delivered, delivered]);
  await running.stopAll();
  isHanging = false;
  await running.start();
  await eventually(async () => (await recorded())[2] === delivered);
  const { hits } = receiver;
  t.deepEqual(hits.map(({ body }) => contactIn(body).name).toSorted(), [...names, 'c'].toSorted());
  for (const { headers, body } of hits) {
    const { name, ...contact } = contactIn(body);
    const event = events[names.indexOf(name)]!;
    t.is(headers['webhook-id'], idOf(event.id, webhook.id));
    t.like(contact, { tags: [name] });
  }
});

test('a page of the log ends inside a message, and the next one continues there', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const webhook = encodeId('webhook', ids.next());
  const events = await publishTogether(running);
  const outside = events.map(({ id }) => encodeId('event', id));
  const pageAfter = async (after?: string) => {
    const page = await call('event-log.list', { limit: 2, ...(after !== undefined && { after }) });
    return { ...page.pagination, seen: page.events.map(({ id }) => id) };
  };
  const first = await pageAfter();
  const second = await pageAfter(first.next!);
  const third = await pageAfter(second.next!);
  t.deepEqual(
    [first, second, third].map(({ seen, hasMore }) => [seen, hasMore]),
    [
      [outside.slice(0, 2), true],
      [outside.slice(2, 4), true],
      [outside.slice(4), false],
    ],
  );
  for (const after of [outside[1]!, idOf(events[1]!.id, webhook)])
    t.deepEqual((await pageAfter(after)).seen, outside.slice(2, 4));
  for (const [at, eventId] of outside.entries())
    t.like((await call('event.get', { eventId })).event.data, { contact: { name: names[at] } });
});
