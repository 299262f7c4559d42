import test, { type ExecutionContext } from 'ava';
import { eventSubject } from '@roster/contracts';
import { eventually } from '@roster/testing';
import { encodeCall, encodeRequest } from '../../calls/frame/request-frame.js';
import { steadyNow, type Call } from '../../index.js';
import { id, publish, stream, workspaceId } from '../events/event-readers.js';
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
      const text = encodeRequest([{ caller: anyCaller, encoded }], true, 'a-clock-of-its-own');
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
