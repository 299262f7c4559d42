import type { Answer, Call, Json } from '@roster/bus';
import { operations, type Operations, type OutputOf, timeOfId, uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { callAs } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { handlers } from '../handlers.js';
import { codeOf, contactsFor, create, eventsOf, newWorkspace } from './running-contacts.js';
import { serviceOn } from './service-on.js';

const running = contactsFor(test);

type Contact = OutputOf<Operations['contacts.get']>['contact'];

/** Creations by one of three processes, whose clock differs from the others and then steps. */
const creation = fc.record({
  process: fc.nat(2),
  byMs: fc.integer({ min: -2000, max: 2000 }),
  count: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('contacts.create', 'contacts.upsert', 'contacts.batch'),
});

test('the time of creation of a contact is that of its ID in every response, event and row, and filters follow it, whatever clocks show', async (t) => {
  const { database } = running();
  await fc.assert(
    fc.asyncProperty(fc.array(creation, { minLength: 1, maxLength: 12 }), async (creations) => {
      const workspace = newWorkspace(running().bus);
      const start = Date.parse('2026-01-01T00:00:00Z');
      const times = [start, start + 90_000, start - 5000];
      const processes = times.map((_, at) =>
        handlers({ ...serviceOn(database), ids: new IdClock(() => times[at]!) }),
      );
      const answer = async (process: number, name: keyof typeof operations, inputs: object[]) => {
        const handle = processes[process]![name as 'contacts.create'] as unknown as (
          calls: Call[],
        ) => Promise<Answer<unknown>[]>;
        const calls = inputs.map((input) => ({
          ...callAs({ workspaceId: workspace.id }),
          input: operations[name].input.parse(input),
        }));
        const answers = await handle(calls);
        return answers.map((each) => JSON.parse((each as Json).text ?? JSON.stringify(each)));
      };
      const created: Contact[] = [];
      for (const { process, byMs, count, kind } of creations) {
        times[process]! += byMs;
        const contacts = Array.from({ length: count }, () => ({
          email: `${crypto.randomUUID()}@example.com`,
        }));
        const answers =
          kind === 'contacts.batch'
            ? await answer(process, kind, [
                { operations: contacts.map((contact) => ({ action: 'create', ...contact })) },
              ])
            : await answer(process, kind, contacts);
        if (kind !== 'contacts.batch') created.push(...answers.map(({ contact }) => contact));
        else
          for (const { id } of answers[0].results)
            created.push((await workspace.call('contacts.get', { contactId: id })).contact);
      }
      const timeOf = ({ id }: Contact) => new Date(timeOfId(uuidOf('contact', id))).toISOString();
      t.deepEqual(
        created.map(({ createdAt }) => createdAt),
        created.map(timeOf),
      );
      const rows = await database.query<{ id: string; ms: number }>(
        {
          name: 'test.times',
          text: `select id, date_part('epoch', created_at) * 1000 as ms from contacts.contacts where workspace_id = $1 order by id`,
        },
        [uuidOf('workspace', workspace.id)],
      );
      t.deepEqual(
        rows.map(({ ms }) => Math.round(ms)),
        rows.map(({ id }) => timeOfId(id)),
      );
      // Each creation follows all earlier ones of the workspace.
      t.deepEqual(
        rows.map(({ id }) => id),
        created.map(({ id }) => uuidOf('contact', id)),
      );
      const [some] = created;
      for (const name of ['contacts.update', 'contacts.unsubscribe', 'contacts.delete'] as const)
        await answer(0, name, [
          {
            contactId: some!.id,
            ...(name === 'contacts.update' && { name: 'B', createdAt: some!.createdAt }),
          },
        ]);
      const announced = (await eventsOf(running(), workspace)).map(
        ({ body }) => JSON.parse(body).data.contact,
      );
      t.is(announced.length, created.length + 3);
      t.deepEqual(
        announced.map(({ createdAt }: Contact) => createdAt),
        announced.map(timeOf),
      );
      const left = created.slice(1);
      for (const at of left.slice(0, 5).map(({ createdAt }) => createdAt))
        for (const input of [
          { createdAfter: at },
          { createdBefore: at },
          { createdAfter: new Date(start).toISOString(), createdBefore: at },
        ]) {
          const page = await workspace.call('contacts.find', { limit: 100, ...input });
          const wanted = left.filter(
            ({ createdAt }) =>
              (!('createdAfter' in input) || createdAt > input.createdAfter) &&
              (!('createdBefore' in input) || createdAt < input.createdBefore),
          );
          t.deepEqual(
            page.contacts.map(({ id }) => id),
            wanted.map(({ id }) => id),
          );
        }
    }),
    { numRuns: 10 },
  );
});

test('a contact of 0.2.0 has the time of its ID, and an update may contain the one that 0.2.0 showed', async (t) => {
  const { database, bus } = running();
  const workspace = newWorkspace(bus);
  const { contact } = await create(workspace, 'ada@example.com');
  const [{ former }] = (await database.query<{ former: Date }>(
    {
      name: 'test.former',
      text: `update contacts.contacts set created_at = created_at - interval '7 ms' where workspace_id = $1
        returning created_at as former`,
    },
    [uuidOf('workspace', workspace.id)],
  )) as [{ former: Date }];
  const createdAt = new Date(former).toISOString();
  const changed = { contactId: contact.id, ...contact, name: 'Ada' };
  const updated = await workspace.call('contacts.update', { ...changed, createdAt });
  const { updatedAt } = updated.contact;
  t.deepEqual(updated.contact, { ...contact, name: 'Ada', updatedAt, version: 2 });
  const found = await workspace.call('contacts.find', { limit: 1, createdAfter: createdAt });
  t.deepEqual(found.contacts, [updated.contact]);
  const refused = await workspace.attempt('contacts.update', {
    ...changed,
    createdAt: new Date(Date.parse(createdAt) - 120_000).toISOString(),
  });
  t.is(codeOf(refused), 'invalid');
});
