import type { Answer, Call, Json } from '@roster/bus';
import { instantOfId, operations, type Operations, type OutputOf, uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Statement } from '@roster/storage';
import { callAs } from '@roster/testing';
import test from 'ava';
import { handlers } from '../handlers.js';
import { contactsFor, create, eventsOf, newWorkspace } from './running-contacts.js';
import { serviceOn } from './service-on.js';

const running = contactsFor(test);

type Contact = OutputOf<Operations['contacts.get']>['contact'];

test('each change of a contact has a later time and one version more, and no other', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const { id: contactId } = contact;
  const seen = [contact];
  const changed = async (change: Promise<{ contact: typeof contact }>) => {
    const { contact: now } = await change;
    const last = seen.at(-1)!;
    t.true(now.updatedAt > last.updatedAt, `${now.updatedAt} > ${last.updatedAt}`);
    t.is(now.version, last.version + 1);
    t.deepEqual((await workspace.call('contacts.get', { contactId })).contact, now);
    seen.push(now);
  };
  const unchanged = async (change: Promise<{ contact: typeof contact }>) =>
    t.deepEqual((await change).contact, seen.at(-1)!);
  t.is(contact.version, 1);
  await changed(workspace.call('contacts.update', { contactId, name: 'A' }));
  await unchanged(workspace.call('contacts.update', { contactId, name: 'A' }));
  await changed(workspace.call('contacts.update', { contactId, email: 'b@example.com' }));
  await changed(workspace.call('contacts.upsert', { email: 'b@example.com', tags: ['x'] }));
  await unchanged(workspace.call('contacts.upsert', { email: 'b@example.com', tags: ['x'] }));
  await changed(workspace.call('contacts.unsubscribe', { contactId }));
  await unchanged(workspace.call('contacts.unsubscribe', { contactId }));
  await changed(workspace.call('contacts.resubscribe', { contactId }));
  await changed(workspace.call('contacts.update', { contactId, properties: { city: 'Bern' } }));
  const events = await eventsOf(running(), workspace);
  t.is(events.length, seen.length);
});

test('the changes of several processes follow one another, however their clocks differ', async (t) => {
  const { database } = running();
  const { id: workspaceId } = newWorkspace(running().bus);
  const hour = 3_600_000;
  const processes = [0, hour, -hour].map((aheadMs) => {
    const serving = handlers({
      ...serviceOn(database),
      ids: new IdClock(() => Date.now() + aheadMs),
    });
    return async (name: 'contacts.create' | 'contacts.update', input: object) => {
      const handle = serving[name] as (calls: Call<never>[]) => Promise<Answer<unknown>[]>;
      const parsed = operations[name].input.parse(input) as never;
      const [answer] = await handle([{ ...callAs({ workspaceId }), input: parsed }]);
      return (JSON.parse((answer as Json).text) as { contact: Contact }).contact;
    };
  });
  const [first, ...others] = processes;
  const contact = await first!('contacts.create', { email: 'a@example.com' });
  const times = [contact.updatedAt];
  for (let n = 0; n < 3; n += 1)
    for (const write of [...others, first!]) {
      const name = `${times.length}`;
      times.push((await write('contacts.update', { contactId: contact.id, name })).updatedAt);
      times.push((await write('contacts.create', { email: `${name}@example.com` })).updatedAt);
    }
  t.deepEqual(times, times.toSorted());
  t.is(new Set(times).size, times.length);
});

test('a reader that pages by changes during writes by processes with different clocks ends with what an export holds', async (t) => {
  const workspace = newWorkspace(running().bus);
  const clocks = [0, 0, 0];
  const processes = clocks.map((_, at) =>
    handlers({
      ...serviceOn(running().database),
      ids: new IdClock(() => Date.now() + clocks[at]!),
    }),
  );
  const random = (max: number) => Math.floor(Math.random() * max);
  const write = (
    name: 'contacts.create' | 'contacts.update' | 'contacts.unsubscribe',
    input: object,
  ) => {
    const at = random(processes.length);
    // Clocks step, also backwards.
    if (random(8) === 0) clocks[at] = (random(3) - 1) * random(60_000);
    const handle = processes[at]![name] as (calls: Call<never>[]) => Promise<Answer<unknown>[]>;
    const parsed = operations[name].input.parse(input) as never;
    return handle([{ ...callAs({ workspaceId: workspace.id }), input: parsed }]);
  };
  const known: string[] = [];
  for (let n = 0; n < 20; n += 1)
    known.push((await create(workspace, `known${n}@example.com`)).contact.id);
  const writing = { isOver: false };
  const writers = Array.from({ length: 64 }, async (_, writer) => {
    for (let n = 0; n < 6; n += 1) {
      const contactId = known[random(known.length)]!;
      const name = `${writer} ${n}`;
      if (n === 2) await write('contacts.create', { email: `${writer}@example.com`, name });
      else if (n === 4) await write('contacts.unsubscribe', { contactId });
      else await write('contacts.update', { contactId, name });
    }
  });
  const seen = new Map<string, object>();
  let updatedAfter = '2020-01-01T00:00:00Z';
  const read = async () => {
    let after: string | null | undefined;
    do {
      const page: OutputOf<Operations['contacts.find']> = await workspace.call('contacts.find', {
        limit: 7,
        sort: 'updatedAt',
        updatedAfter,
        ...(after && { after }),
      });
      for (const contact of page.contacts) seen.set(contact.id, contact);
      updatedAfter = page.contacts.at(-1)?.updatedAt ?? updatedAfter;
      after = random(2) ? page.pagination.next : null;
    } while (after);
  };
  const reader = (async () => {
    while (!writing.isOver) await read();
  })();
  await Promise.all(writers);
  writing.isOver = true;
  await reader;
  for (let before = ''; before !== updatedAfter;) {
    before = updatedAfter;
    await read();
  }
  const { contacts } = await workspace.call('contacts.find', { limit: 100 });
  t.is(contacts.length, 84);
  t.deepEqual(
    contacts.map(({ id }) => seen.get(id)),
    contacts,
  );
});

test('a change that a process of 0.2.0 writes has a version and a time too', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const values = [uuidOf('workspace', workspace.id), uuidOf('contact', contact.id)];
  await running().database.query(rename, values);
  const { contact: renamed } = await workspace.call('contacts.get', { contactId: contact.id });
  t.is(renamed.version, 2);
  t.true(renamed.updatedAt > contact.updatedAt);
  await running().database.query(rename, values);
  t.deepEqual(await workspace.call('contacts.get', { contactId: contact.id }), {
    contact: renamed,
  });
});

const rename: Statement = {
  name: 'test.rename',
  text: `update contacts.contacts set name = 'Former' where workspace_id = $1 and id = $2`,
};

test('the database computes later IDs and shows their times as the service does', async (t) => {
  const ids = new IdClock(() => Date.parse('2026-12-31T23:59:59.999Z'));
  for (let n = 0; n < 1100; n += 1) {
    const id = ids.next();
    if (n % 100 > 1) continue;
    const [row] = await running().database.query<{ at: string; next: string; far: string }>(
      {
        name: 'test.ids',
        text: `
          select contacts.instant_of($1) as at, contacts.id_after($1, 1)::text as next, contacts.id_after($1, 2500)::text as far`,
      },
      [id],
    );
    t.is(row!.at, instantOfId(id));
    t.true(row!.next > id && instantOfId(row!.next) > instantOfId(id));
    t.true(row!.far > row!.next && instantOfId(row!.far) > instantOfId(row!.next));
  }
});
