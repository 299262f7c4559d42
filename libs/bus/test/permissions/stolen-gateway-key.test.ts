import test, { type ExecutionContext } from 'ava';
import { eventConsumer, eventStream, eventSubject } from '@roster/contracts';
import { eventually } from '@roster/testing';
import { encodeCall, encodeRequest } from '../../calls/frame/request-frame.js';
import { consumeEvents, steadyNow, type Call } from '../../index.js';
import { id, publish, publishMany, silent, stream, workspaceId } from '../events/event-readers.js';
import { anyCaller, contactId, contactsHandlers, found, within } from '../running-bus.js';
import { connectProgram, connectThief, guardedNats } from './guarded-nats.js';

/** A contacts service, a gateway that calls it, and a client with the key of the gateway. */
async function stolenKey(t: ExecutionContext) {
  const guarded = await guardedNats(t);
  const { bus: contacts } = await connectProgram(t, guarded, 'contacts');
  const { bus: gateway } = await connectProgram(t, guarded, 'gateway');
  const held = Promise.withResolvers<void>();
  t.teardown(() => held.resolve());
  const handled: string[] = [];
  const handle = async (calls: Call[]) => {
    for (const { requestId } of calls) handled.push(requestId);
    if (calls.some(({ requestId }) => requestId === 'held')) await held.promise;
    return calls.map(found);
  };
  contacts.serve('contacts', contactsHandlers({ 'contacts.get': handle }));
  await contacts.link.nats.flush();
  const thief = await connectThief(t, guarded, 'gateway');
  const answers: string[] = [];
  thief.subscribe('_INBOX.gateway.>', { callback: (_, { subject }) => void answers.push(subject) });
  await thief.flush();
  return {
    contacts,
    handled,
    answers,
    release: () => held.resolve(),
    get: (requestId: string) =>
      gateway.call('contacts.get', { contactId }, within(20_000, { requestId })),
    ask(reply: string, requestId = 'theft', edit = (text: string) => text) {
      const encoded = encodeCall({ ...within(20_000, { requestId }), input: { contactId } });
      const text = encodeRequest([{ caller: anyCaller, encoded }], 'a-clock-of-its-own');
      thief.publish('contacts.get', edit(text), { reply });
    },
    /** Resolves when all requests sent before are answered. */
    async settled() {
      this.ask('_INBOX.gateway.contacts.thief.1');
      await eventually(() => answers.includes('_INBOX.gateway.contacts.thief.1'));
    },
  };
}

test('a service sends answers to inboxes only, and not as events or broadcasts', async (t) => {
  const thief = await stolenKey(t);
  const { contacts } = thief;
  const publisher = await contacts.openEvents(stream);
  const heard: string[] = [];
  contacts.link.subscribe('contact-properties.deleted', {
    onMessage: (message) => void heard.push(message.string()),
  });
  await contacts.link.nats.flush();
  thief.ask(eventSubject(workspaceId, 'CONTACT_CREATED'));
  thief.ask('contact-properties.deleted');
  await thief.settled();
  t.is(thief.handled.length, 3);
  await publish(publisher, 1);
  t.is((await contacts.streamPosition())?.sequence, 1, `only ${id(1)} is in the stream`);
  t.deepEqual(heard, []);
});

test('the key of a gateway cannot direct an answer to a call of another gateway, although it can see its answers', async (t) => {
  const thief = await stolenKey(t);
  await thief.get('seen');
  await eventually(() => thief.answers.length > 0);
  const seen = thief.answers[0]!;
  const inbox = seen.slice(0, seen.lastIndexOf('.'));
  const answer = thief.get('held');
  await eventually(() => thief.handled.includes('held'));
  thief.ask(seen);
  for (let n = 0; n < 50; n += 1) thief.ask(`${inbox}.0-${n.toString(36)}`);
  await thief.settled();
  thief.release();
  t.is((await answer).contact.id, 'held');
});

test('a time of sending that another process states for a gateway does not change its deadlines', async (t) => {
  const thief = await stolenKey(t);
  await thief.get('seen');
  await eventually(() => thief.answers.length > 0);
  const inAYear = (text: string) => text.replace(/"at":\d+/, `"at":${steadyNow() + 3e10}`);
  thief.ask(thief.answers[0]!, 'theft', inAYear);
  await thief.settled();
  t.is((await thief.get('unchanged')).contact.id, 'unchanged');
});

/** The configuration of a consumer that sends every event to the requests of the dispatchers, as if they were requests. */
const stealing = {
  deliver_policy: 'all',
  ack_policy: 'none',
  deliver_subject: `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${eventConsumer}`,
};

test('the key of a gateway creates no consumer, and takes no event from the dispatchers', async (t) => {
  const guarded = await guardedNats(t);
  const { bus: contacts } = await connectProgram(t, guarded, 'contacts');
  const { bus: dispatcher } = await connectProgram(t, guarded, 'dispatcher');
  const publisher = await contacts.openEvents(stream);
  const handled: string[] = [];
  const options = { durable: eventConsumer, stream, inFlightMax: 10 };
  const consumer = await consumeEvents(dispatcher.link, silent, options, (event) => {
    handled.push(`${event.id} ${event.deliveries}`);
  });
  t.teardown(() => consumer.stop());
  const thief = await connectThief(t, guarded, 'gateway');
  const subject = eventSubject('*', '*');
  for (const verb of [
    `CREATE.${eventStream}`,
    `CREATE.${eventStream}.thief`,
    `CREATE.${eventStream}.thief.${subject}`,
    `CREATE.${eventStream}.${eventConsumer}`,
    `DURABLE.CREATE.${eventStream}.thief`,
  ]) {
    for (const push of [true, false]) {
      const name = verb.startsWith('DURABLE') ? { durable_name: 'thief' } : { name: 'thief' };
      const { deliver_subject, ...pulled } = stealing;
      const config = { ...pulled, ...name, ...(push && { deliver_subject }) };
      const request = JSON.stringify({ stream_name: eventStream, config });
      await t.throwsAsync(
        thief.request(`$JS.API.CONSUMER.${verb}`, request),
        { message: /permissions violation/i },
        verb,
      );
    }
  }
  await publishMany(publisher, 0, 20);
  await eventually(async () => (await consumer.status()).acknowledgedSequence === 20);
  t.deepEqual(
    handled.toSorted(),
    Array.from({ length: 20 }, (_, n) => `${id(n)} 1`),
  );
});

test('the key of a gateway deletes and stores nothing by having the answers of the stream sent to another subject', async (t) => {
  const guarded = await guardedNats(t);
  const { bus: contacts } = await connectProgram(t, guarded, 'contacts');
  const publisher = await contacts.openEvents(stream);
  await publishMany(publisher, 0, 5);
  const thief = await connectThief(t, guarded, 'gateway');
  const requests: [string, string][] = [
    [`STREAM.INFO.${eventStream}`, ''],
    [`STREAM.MSG.GET.${eventStream}`, JSON.stringify({ seq: 1 })],
    [`DIRECT.GET.${eventStream}`, JSON.stringify({ seq: 1, batch: 5 })],
  ];
  for (const target of ['PURGE', 'DELETE', 'MSG.DELETE', 'UPDATE'])
    for (const [verb, request] of requests) {
      const reply = `$JS.API.STREAM.${target}.${eventStream}`;
      thief.publish(`$JS.API.${verb}`, request, { reply });
    }
  for (const [verb, request] of requests)
    thief.publish(`$JS.API.${verb}`, request, { reply: eventSubject('x', 'CONTACT_CREATED') });
  await thief.flush();
  const events: string[] = [];
  for await (const event of contacts.readEvents({ workspaceId })) events.push(event.id);
  t.deepEqual(
    events,
    Array.from({ length: 5 }, (_, n) => id(n)),
  );
  for await (const event of contacts.readEvents({ workspaceId: 'x' })) t.fail(event.id);
});
