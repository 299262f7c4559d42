import { eventually } from '@roster/testing';
import test from 'ava';
import { Json, type Bus } from '../../index.js';
import {
  anyCaller,
  busFor,
  contactId,
  contactsHandlers,
  natsFor,
  outcomeOf,
  within,
} from '../running-bus.js';

test('a workspace that fills the slots of a service neither delays nor refuses calls of another', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const started: string[] = [];
  const first = Promise.withResolvers<void>();
  const others = Promise.withResolvers<void>();
  t.teardown(() => others.resolve());
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls) => {
        started.push(calls[0]!.caller.workspaceId);
        await (started.length === 1 ? first : others).promise;
        return calls.map(() => new Json('{}'));
      },
    }),
    { concurrency: 2, waitingMax: 4 },
  );
  await server.link.nats.flush();
  const call = (bus: Bus, workspaceId: string) => {
    const caller = { ...anyCaller, workspaceId };
    return outcomeOf(bus.call('contacts.get', { contactId }, within(20_000, { caller })));
  };
  const refused: string[] = [];
  // One call per client, so that each is a batch.
  const clients = await Promise.all(Array.from({ length: 10 }, () => busFor(t, nats)));
  for (const bus of clients) void call(bus, 'busy').then((outcome) => refused.push(outcome));
  await eventually(() => refused.length === 4);
  t.deepEqual(new Set(refused), new Set(['unavailable']));
  const neighbour = call(await busFor(t, nats), 'neighbour');
  await eventually(() => refused.length === 5);
  first.resolve();
  await eventually(() => started.length === 3);
  t.deepEqual(started, ['busy', 'busy', 'neighbour']);
  others.resolve();
  t.is(await neighbour, 'ok');
});
