import type { Caller } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Contended, Json, type Bus, type Call } from '../../index.js';
import { busFor, contactId, contactsHandlers, natsFor, outcomeOf, within } from '../running-bus.js';

const callerOf = (workspaceId: string) => ({ workspaceId, scopes: ['user'] }) as unknown as Caller;
const update = (bus: Bus, workspaceId: string) =>
  outcomeOf(
    bus.call('contacts.update', { contactId }, within(60_000, { caller: callerOf(workspaceId) })),
  );

test('calls of a workspace whose rows are locked are answered unavailable after two seconds, and the others of their batch are applied once', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  let isLocked = true;
  let sent = 0;
  const applied: string[] = [];
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.update': async (calls: Call[]) => {
        const workspaces = calls.map(({ caller }) => caller.workspaceId);
        if (isLocked && workspaces.includes('a')) {
          sent += 1;
          throw new Contended({ reason: 'locked' });
        }
        applied.push(...workspaces);
        return calls.map(() => new Json('{}'));
      },
    }),
  );
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const updateAll = () => Promise.all(['a', 'b', 'a', 'c'].map((name) => update(bus, name)));
  t.deepEqual(await updateAll(), ['unavailable', 'ok', 'unavailable', 'ok']);
  t.deepEqual(applied, ['b', 'c']);
  applied.length = 0;
  sent = 0;
  const outcomes = updateAll();
  await eventually(() => sent > 2);
  isLocked = false;
  t.deepEqual(await outcomes, ['ok', 'ok', 'ok', 'ok'], 'sent again until the lock is free');
  t.deepEqual(applied.toSorted(), ['a', 'a', 'b', 'c']);
});
