import { EventEraser } from '@roster/bus';
import { openLog } from '@roster/process';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { ErasureJobs, type ErasureParts } from '../erasures/erasure-jobs.js';
import { JobRunner } from '../jobs/job-runner.js';
import { ended, importOf, startRunner, upload } from './imports/running-imports.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

/** A dispatcher that has recorded all deliveries, and has none of the contact. */
const dispatcher = {
  call: (name: string) =>
    Promise.resolve(
      name === 'dispatcher.is-acknowledged'
        ? { acknowledged: true }
        : { reached: null, deliveries: 0, records: 0 },
    ),
} as unknown as ErasureParts['bus'];

/** A process that erases contacts. */
function startErasing(t: ExecutionContext, parts: Partial<ErasureParts> = {}): void {
  const { service, bus } = running();
  const jobs = new ErasureJobs(service, {
    ...{ events: new EventEraser(bus.link), bus: dispatcher },
    ...parts,
  });
  const runner = new JobRunner(service, [jobs], { log: openLog('contacts', 'silent'), pollMs: 10 });
  t.teardown(() => runner.stop());
}

const erasureOf = async (workspace: Workspace, erasureId: string) =>
  (await workspace.call('erasures.get', { erasureId })).erasure;

async function erased(workspace: Workspace, contactId: string, email?: string) {
  const input = email === undefined ? { contactId } : { contactId, email };
  const { erasure } = await workspace.call(
    'contacts.erase',
    input,
    [contactId, email].filter(Boolean).join('-'),
  );
  await eventually(async () => (await erasureOf(workspace, erasure.id)).endedAt !== null, {
    timeoutMs: 60_000,
  });
  return erasureOf(workspace, erasure.id);
}

/** All events that the stream holds, with their details. */
async function storedEvents({ id }: Workspace) {
  const events = new EventEraser(running().bus.link);
  const found = [];
  for (let sequence = 1; ;) {
    const message = await events.next(id, sequence);
    if (!message) return found;
    sequence = message.sequence + 1;
    found.push(...message.events);
  }
}

const secrets = [
  'secret-ada@example.com',
  'secret-before@example.com',
  'Secret Name',
  'secret-value',
];

/** A contact among others, whose events share messages, and which had another address before. */
async function plant(workspace: Workspace): Promise<string> {
  const [email, before, name, value] = secrets;
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      { action: 'create', email: 'first@example.com' },
      { action: 'create', email: before!, name: name!, properties: { note: value! } },
      { action: 'create', email: 'last@example.com' },
    ],
  });
  const { id } = results[1] as { id: string };
  await workspace.call('contacts.update', { contactId: id, email: email! });
  await create(workspace, 'later@example.com');
  await eventually(async () => (await storedEvents(workspace)).length === 5);
  return id;
}

test.serial(
  'removes the events of a contact from the stream and the outbox, and keeps those of others in the same message',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const contactId = await plant(workspace);
    const before = await storedEvents(workspace);
    const others = before.filter(({ body }) => !body.includes(contactId)).map(({ id }) => id);
    t.is(others.length, 3);
    startErasing(t);
    t.like(await erased(workspace, contactId), { status: 'completed', step: null, events: 2 });
    await eventually(async () => (await storedEvents(workspace)).length === 4);
    const after = await storedEvents(workspace);
    const text = JSON.stringify(after);
    t.deepEqual(
      secrets.filter((secret) => text.includes(secret)),
      [],
    );
    const [end] = after.filter(({ body }) => body.includes(contactId));
    t.like(JSON.parse(end!.body), { event: 'CONTACT_DELETED', data: { erased: true } });
    t.deepEqual(
      after
        .map(({ id }) => id)
        .filter((id) => id !== end!.id)
        .toSorted(),
      others.toSorted(),
    );
    const { database } = running();
    const tables = ['outbox', 'erasures', 'contacts', 'addresses'];
    for (const table of tables) {
      const rows = await database.query(
        { name: `test.${table}`, text: `select t::text from contacts.${table} t` },
        [],
      );
      const rest = JSON.stringify(rows);
      t.deepEqual(
        secrets.filter((secret) => rest.includes(secret)),
        [],
        table,
      );
    }
  },
);

test.serial(
  'an erasure whose process dies before messages are removed is continued, and waits until their deliveries are recorded',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const contactId = await plant(workspace);
    const events = new EventEraser(running().bus.link);
    let [asked, failures] = [0, 0];
    startErasing(t, {
      events: {
        next: (...of) => events.next(...of),
        firstSince: (...of) => events.firstSince(...of),
        newest: (...of) => events.newest(...of),
        async erase(message) {
          await events.erase(message);
          if (failures++ === 0) throw new Error('died');
        },
      },
      bus: {
        call: (name: string, ...rest: never[]) =>
          name === 'dispatcher.is-acknowledged' && asked++ === 0
            ? Promise.resolve({ acknowledged: false })
            : (dispatcher.call as (...of: unknown[]) => unknown)(name, ...rest),
      } as unknown as ErasureParts['bus'],
    });
    await erased(workspace, contactId);
    t.true(failures > 1);
    await eventually(async () => (await storedEvents(workspace)).length === 4);
    const text = JSON.stringify(await storedEvents(workspace));
    t.deepEqual(
      secrets.filter((secret) => text.includes(secret)),
      [],
    );
  },
);

test.serial(
  'a repeated request whose response was emptied is refused, and creates no contact',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const email = 'again@example.com';
    const { contact } = await workspace.call('contacts.create', { email }, 'a-key');
    startErasing(t);
    t.true((await erased(workspace, contact.id)).records > 0);
    const again = await workspace.attempt('contacts.create', { email }, 'a-key');
    t.is(codeOf(again), 'idempotency_key_reused');
    t.is((await workspace.call('contacts.list', { limit: 10 })).contacts.length, 0);
    const { erasure } = await workspace.call(
      'contacts.erase',
      { contactId: contact.id },
      contact.id,
    );
    t.is(erasure.status, 'queued', 'the response to the erasure is kept');
  },
);

test.serial(
  'a contact can be erased by its address, once, also after its deletion, and not from another workspace',
  async (t) => {
    const [workspace, stranger] = [newWorkspace(running().bus), newWorkspace(running().bus)];
    const { contact } = await create(workspace, 'own@example.com');
    const { contact: deleted } = await create(workspace, 'deleted@example.com');
    await workspace.call('contacts.delete', { contactId: deleted.id });
    t.is(codeOf(await stranger.attempt('contacts.erase', { contactId: contact.id })), 'not_found');
    t.is(codeOf(await stranger.attempt('contacts.erase', { contactId: deleted.id })), 'not_found');
    startErasing(t);
    const first = await erased(workspace, 'email:OWN@example.com');
    t.is(first.contactId, contact.id);
    t.is((await erased(workspace, contact.id)).id, first.id);
    t.is((await erased(workspace, deleted.id)).status, 'completed');
    const text = JSON.stringify(await storedEvents(workspace));
    t.false(text.includes('own@example.com') || text.includes('deleted@example.com'));
    t.is(codeOf(await workspace.attempt('contacts.get', { contactId: contact.id })), 'not_found');
  },
);

test.serial(
  'a contact that a batch has deleted is erased by its ID and an address that it had, and again when another address is named',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const [email, former] = ['last-ada@example.com', 'former-ada@example.com'];
    const { contact } = await workspace.call('contacts.create', { email: former }, 'a-key');
    const contactId = contact.id;
    await workspace.call('contacts.update', { contactId, email });
    await workspace.call('contacts.batch', { operations: [{ action: 'delete', id: contactId }] });
    await eventually(async () => (await storedEvents(workspace)).length === 3);
    t.is(codeOf(await workspace.attempt('contacts.erase', { contactId })), 'not_found');
    const reference = { contactId: `email:${email}`, email };
    t.is(codeOf(await workspace.attempt('contacts.erase', reference)), 'not_found');
    startErasing(t);
    const first = await erased(workspace, contactId, email);
    t.like(first, { status: 'completed', events: 3 });
    const text = JSON.stringify(await storedEvents(workspace));
    t.false(text.includes(email) || text.includes(former));
    const again = await workspace.attempt('contacts.create', { email: former }, 'a-key');
    t.is(codeOf(again), 'idempotency_key_reused', 'found by the former address in its events');

    const other = 'other-ada@example.com';
    const importId = await upload(workspace, [], { fileName: other });
    startRunner(t, running().service);
    await ended(workspace, importId);
    t.is((await erased(workspace, contactId)).records, first.records);
    t.is((await importOf(workspace, importId)).fileName, other);
    t.is((await erased(workspace, contactId, other)).id, first.id);
    t.is((await importOf(workspace, importId)).fileName, null);
  },
);

test.serial(
  'the ID and the address of a contact of another workspace erase nothing of it there',
  async (t) => {
    const [owner, stranger] = [newWorkspace(running().bus), newWorkspace(running().bus)];
    const email = 'ada@example.com';
    const { contact } = await create(owner, email);
    const contactId = contact.id;
    startErasing(t);
    t.is((await erased(stranger, contactId, email)).status, 'completed');
    t.deepEqual(await owner.call('contacts.get', { contactId }), { contact });
    await eventually(async () => JSON.stringify(await storedEvents(owner)).includes(email));
  },
);

test.serial('writes of the contact at the same time leave nothing of it', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'busy@example.com');
  startErasing(t);
  const [end, ...writes] = await Promise.all([
    erased(workspace, contact.id),
    ...Array.from({ length: 20 }, (_, n) =>
      workspace.attempt('contacts.update', { contactId: contact.id, name: `Busy Name ${n}` }),
    ),
  ]);
  t.is(end.status, 'completed');
  t.true(writes.every((write) => ['ok', 'not_found'].includes(codeOf(write))));
  const text = JSON.stringify(await storedEvents(workspace));
  t.false(text.includes('busy@example.com') || text.includes('Busy Name'));
  t.deepEqual(await namesOfEvents(workspace), ['CONTACT_DELETED']);
});

const fileName = 'secret-ada@example.com.csv';

test.serial(
  'an erasure waits for an import that began before it, whose end then names no address',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const { contact } = await create(workspace, secrets[0]!);
    const { import: begun } = await workspace.call('imports.create', { fileName });
    const events = new EventEraser(running().bus.link);
    const readsAfterEnd: boolean[] = [];
    startErasing(t, {
      events: {
        next: (...of) => events.next(...of),
        async firstSince(...of) {
          readsAfterEnd.push((await importOf(workspace, begun.id)).endedAt !== null);
          return events.firstSince(...of);
        },
        newest: (...of) => events.newest(...of),
        erase: (message) => events.erase(message),
      },
    });
    const { erasure } = await workspace.call('contacts.erase', { contactId: contact.id });
    // It has been looked at, and waits.
    await eventually(async () => (await erasureOf(workspace, erasure.id)).status === 'running');
    startRunner(t, running().service);
    await workspace.call('imports.cancel', { importId: begun.id });
    await eventually(async () => (await erasureOf(workspace, erasure.id)).endedAt !== null);
    await eventually(async () => (await namesOfEvents(workspace)).includes('IMPORT_ENDED'));
    t.deepEqual(await namesOfEvents(workspace), ['CONTACT_DELETED', 'IMPORT_ENDED']);
    t.false(JSON.stringify(await storedEvents(workspace)).includes(secrets[0]!));
    t.true(readsAfterEnd.length > 0 && readsAfterEnd.every(Boolean));
  },
);

test.serial(
  'an import that ends while the log is read has one event, which names no address',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const { contact } = await create(workspace, secrets[0]!);
    await eventually(async () => (await storedEvents(workspace)).length === 1);
    startRunner(t, running().service);
    const events = new EventEraser(running().bus.link);
    let hasEnded = false;
    startErasing(t, {
      events: {
        async next(...of) {
          if (!hasEnded) {
            hasEnded = true;
            await upload(workspace, [], { fileName });
            await eventually(async () => (await namesOfEvents(workspace)).includes('IMPORT_ENDED'));
          }
          return events.next(...of);
        },
        firstSince: (...of) => events.firstSince(...of),
        newest: (...of) => events.newest(...of),
        erase: (message) => events.erase(message),
      },
    });
    await erased(workspace, contact.id);
    await eventually(async () => (await namesOfEvents(workspace)).includes('IMPORT_ENDED'));
    t.deepEqual(await namesOfEvents(workspace), ['CONTACT_DELETED', 'IMPORT_ENDED']);
    t.false(JSON.stringify(await storedEvents(workspace)).includes(secrets[0]!));
  },
);

const namesOfEvents = async (workspace: Workspace): Promise<string[]> =>
  (await storedEvents(workspace))
    .map(({ body }) => (JSON.parse(body) as { event: string }).event)
    .toSorted();
