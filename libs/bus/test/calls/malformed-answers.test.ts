import test from 'ava';
import { busFor, contactId, natsFor, outcomeOf, within } from '../running-bus.js';

const answers = {
  'not JSON': 'nonsense\n{}',
  'without a line feed': '[2]{}',
  'too short': '[4]\n{}',
  'too long': '[2]\n{}{}',
  'not a list': '{}\n',
  'an entry of an unknown type': '[true]\n',
};

for (const [name, text] of Object.entries(answers))
  test(`a call whose answer is malformed fails, and later calls are answered: ${name}`, async (t) => {
    const nats = await natsFor(t);
    const [server, bus] = [await busFor(t, nats), await busFor(t, nats)];
    const replies = [text, '[2]\n{}'];
    server.link.nats.subscribe('contacts.get', {
      callback: (_, message) => message.respond(Buffer.from(replies.shift()!)),
    });
    await server.link.nats.flush();
    const get = () => outcomeOf(bus.call('contacts.get', { contactId }, within(10_000)));
    t.is(await get(), 'internal');
    t.is(await get(), 'ok');
    t.true(bus.link.up);
  });
