import { connectBus } from '@roster/bus';
import { uuidOf } from '@roster/contracts';
import { openLog } from '@roster/service';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { newWorkspace, runContacts, type RunningContacts } from './running-contacts.js';

async function contactsFor(
  t: ExecutionContext,
  options?: { poolMax: number },
): Promise<RunningContacts> {
  const running = await runContacts(options);
  t.teardown(() => running.stop());
  return running;
}

const input = (n: number) => ({ email: `c${n}@example.com` });

test('creations that come while another is held up are written together, and answered each with its own', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  await workspace.ask('contacts.create', input(0));
  const gate = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  // As another process does that creates a contact in the workspace.
  const lock = {
    name: 'test.lock',
    text: 'select 1 from contacts.watermarks where workspace_id = $1 for update',
  };
  const held = running.database.transaction(async (session) => {
    await session.query(lock, [uuidOf('workspace', workspace.id)]);
    locked.resolve();
    await gate.promise;
  });
  await locked.promise;
  const arrived = () =>
    running.batches.filter(({ operation }) => operation === 'contacts.create').length;
  const statements = () => running.statements.filter((name) => name === 'contacts.create').length;
  const before = statements();
  const creations: Promise<{ contact: { email: string } }>[] = [];
  // One by one, so that each is a batch of its own.
  for (let n = 1; n <= 4; n += 1) {
    const batches = arrived();
    creations.push(workspace.ask('contacts.create', input(n)));
    await eventually(() => arrived() > batches);
  }
  gate.resolve();
  await held;
  const created = await Promise.all(creations);
  t.deepEqual(
    created.map(({ contact }) => contact.email),
    [1, 2, 3, 4].map((n) => input(n).email),
  );
  t.is(statements() - before, 2, 'the first, and the others together');
});

test('creations with and without an Idempotency-Key do not wait for one another’s connections, however few there are', async (t) => {
  const running = await contactsFor(t, { poolMax: 2 });
  const log = openLog('caller', 'silent');
  const callers = await Promise.all(
    Array.from({ length: 8 }, () => connectBus({ servers: running.natsUrl, name: 'caller', log })),
  );
  t.teardown(() => Promise.all(callers.map((bus) => bus.close())));
  const outcomes = await Promise.all(
    callers.map(async (bus, caller) => {
      const workspace = newWorkspace(bus);
      const codes: unknown[] = [];
      for (let n = 0; n < 20; n += 1) {
        const key = caller % 2 === 0 ? `key-${n}` : undefined;
        const outcome = await workspace.attempt('contacts.create', input(n), key);
        codes.push('contact' in outcome ? 'ok' : outcome.code);
      }
      return codes;
    }),
  );
  t.deepEqual(new Set(outcomes.flat()), new Set(['ok']));
});
