import type { Caller } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Contended, currentLockWait, Json, type Bus, type Call } from '../../index.js';
import { busFor, contactId, contactsHandlers, natsFor, outcomeOf, within } from '../running-bus.js';

const callerOf = (workspaceId: string) => ({ workspaceId, scopes: ['user'] }) as unknown as Caller;
const update = (bus: Bus, workspaceId: string) =>
  outcomeOf(
    bus.call('contacts.update', { contactId }, within(60_000, { caller: callerOf(workspaceId) })),
  );

/** A service in which workspace `a` is locked until it is released: calls that defer are refused, others wait. */
async function lockedService(t: ExecutionContext) {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const gate = Promise.withResolvers<void>();
  t.teardown(() => gate.resolve());
  const batches: string[] = [];
  let isLocked = true;
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.update': async (calls: Call[]) => {
        const workspaces = calls.map(({ caller }) => caller.workspaceId);
        const { defers } = currentLockWait()!;
        batches.push(`${workspaces.join(' ')}${defers ? '' : ' waits'}`);
        if (isLocked && workspaces.includes('a')) {
          if (defers) throw new Contended({ reason: 'locked' });
          await gate.promise;
        }
        return calls.map(() => new Json('{}'));
      },
    }),
  );
  await server.link.nats.flush();
  const release = () => {
    isLocked = false;
    gate.resolve();
  };
  return { nats, server, batches, release };
}

test('calls of a workspace that waits for a lock are sent again, and those that follow them, separately from others', async (t) => {
  const { nats, batches, release } = await lockedService(t);
  const bus = await busFor(t, nats);
  const waiting = ['a', 'a'].map((workspace) => update(bus, workspace));
  t.is(await update(bus, 'b'), 'ok');
  await eventually(() => batches.includes('a a waits'));
  t.is(bus.isolated, 1);
  batches.length = 0;
  for (let n = 0; n < 20; n += 1) {
    waiting.push(update(bus, 'a'));
    t.is(await update(bus, 'b'), 'ok');
  }
  t.deepEqual(new Set(batches), new Set(['b']));
  release();
  t.deepEqual(new Set(await Promise.all(waiting)), new Set(['ok']));
  t.true(batches.every((batch) => batch === 'b' || /^(a )+waits$/.test(batch)));
});

test('clients that wait for the lock of one workspace occupy one slot', async (t) => {
  const { nats, batches, release } = await lockedService(t);
  const clients = await Promise.all(Array.from({ length: 12 }, () => busFor(t, nats)));
  const waiting = clients.map((bus) => update(bus, 'a'));
  await eventually(() => clients.every(({ isolated }) => isolated === 1));
  await eventually(() => batches.includes('a waits'));
  t.deepEqual(
    await Promise.all(clients.map((bus) => update(bus, 'b'))),
    clients.map(() => 'ok'),
  );
  t.is(batches.filter((batch) => batch === 'a waits').length, 1);
  release();
  t.deepEqual(new Set(await Promise.all(waiting)), new Set(['ok']));
});
