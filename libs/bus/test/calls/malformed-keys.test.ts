import { Fault } from '@roster/contracts';
import test from 'ava';
import type { Call } from '../../index.js';
import { busFor, contactsHandlers, natsFor, outcomeOf, within } from '../running-bus.js';

test('a call with an Idempotency-Key that cannot be sent is refused at once, and its neighbours are answered', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const create = async (calls: Call[]) => calls.map(() => new Fault('conflict', 'Taken.'));
  server.serve('contacts', contactsHandlers({ 'contacts.create': create }));
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const keys = ['a', 'with space', 'tab\t', 'é', 'x'.repeat(256), 'b'];
  const input = { email: 'ada@example.com', name: '', tags: [], properties: {} };
  const outcomes = await Promise.all(
    keys.map((idempotencyKey) =>
      outcomeOf(bus.call('contacts.create', input, within(5000, { idempotencyKey }))),
    ),
  );
  t.deepEqual(outcomes, ['conflict', 'invalid', 'invalid', 'invalid', 'invalid', 'conflict']);
});
