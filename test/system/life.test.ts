import { createHmac } from 'node:crypto';
import { RosterError, type EventKind, type Roster } from '@roster/client';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { collect, inParallel, openRoster } from './client.js';
import { contactsFromCsv } from './contacts-csv.js';
import { sharedRoster, type SharedRoster } from './running-roster.js';
import { expectEvents, subscribed } from './subscribed-receiver.js';

/** The life cycle of a workspace, as an integrator sees it. */

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});

const rows = contactsFromCsv();

/** A client of a new workspace. */
async function newClient(): Promise<Roster> {
  const { apiKey } = await roster.newWorkspace('Life');
  return openRoster({ baseUrl: roster.baseUrl, apiKey });
}

test('a webhook with the full payload receives what an update changed, and others the bytes without it', async (t) => {
  const client = await newClient();
  const events: EventKind[] = ['CONTACT_UPDATED'];
  const full = await subscribed(t, client, { events, payload: 'full' });
  const compact = await subscribed(t, client, { events });
  const { contacts } = client;
  const { id } = await contacts.create({ email: 'a@example.com', properties: { city: 'Basel' } });
  await contacts.update(id, { name: 'A', properties: { city: 'Bern', plan: 'pro' } });
  await eventually(() => full.received.length > 0 && compact.received.length > 0);
  const data = {
    changed: ['name', 'properties.city', 'properties.plan'],
    previous: { name: '', properties: { city: 'Basel', plan: null } },
  };
  const [received] = full.received;
  t.like(received!.body.data, data);
  t.like(received!.body.data.contact, {
    name: 'A',
    tags: [],
    properties: { city: 'Bern', plan: 'pro' },
    status: 'subscribed',
  });
  const signature = createHmac('sha256', full.token).update(received!.raw).digest('hex');
  t.is(received!.headers['x-roster-signature'], signature);
  const [other] = compact.received;
  const { contact } = other!.body.data;
  t.deepEqual(Object.keys(other!.body.data), ['contact']);
  t.deepEqual(Object.keys(contact!), ['id', 'email', 'name', 'createdAt']);
});

test('1,000 created contacts are returned unchanged, delivered as events, and listed completely', async (t) => {
  const client = await newClient();
  const { received } = await subscribed(t, client);
  const created = await inParallel(rows, 16, async (row) => {
    const { data, response } = await client.contacts.create(row).withResponse();
    t.is(response.status, 201, row.email);
    t.is(response.headers.get('location'), `/v1/contacts/${data.id}`);
    t.like(data, { ...row, status: 'subscribed' });
    return data;
  });
  await expectEvents(
    t,
    received,
    created.map(({ id, name }) => `CONTACT_CREATED ${id} ${name}`),
  );
  const ids = created.map(({ id }) => id).toSorted();
  const total = ids.length;

  const byOffset: string[] = [];
  for (let offset = 0; offset < total; offset += 100) {
    // A limit above 100 is applied as 100, and the response reports it.
    const { contacts, pagination } = await client.contacts.list({ limit: 500, offset });
    t.like(pagination, { total, limit: 100, offset });
    byOffset.push(...contacts.map(({ id }) => id));
  }
  t.deepEqual(byOffset, ids);

  const byCursor = await collect(client.contacts.list());
  t.deepEqual(
    byCursor.map(({ id }) => id),
    ids,
  );
});

test('a property is defined explicitly with its label, or by the first contact that has it', async (t) => {
  const client = await newClient();
  for (const name of ['city', 'plan']) {
    const property = { name, label: `The ${name}`, type: 'string' as const };
    t.like(await client.contactProperties.create(property), property);
  }
  const properties = { city: 'London', note: 'x' };
  await client.contacts.create({ email: 'ada@example.com', properties });
  const defined = await collect(client.contactProperties.list());
  t.deepEqual(Object.fromEntries(defined.map(({ name, label }) => [name, label])), {
    city: 'The city',
    note: 'note',
    plan: 'The plan',
  });
});

test('an update returns the whole contact and creates one event; repeating it changes nothing', async (t) => {
  const client = await newClient();
  const { received } = await subscribed(t, client, { events: ['CONTACT_UPDATED'] });
  const expected = await inParallel(rows.slice(0, 100), 8, async (row, n) => {
    const contact = await client.contacts.create(row);
    const change = {
      name: `Renamed ${n} ✏️`,
      tags: ['renamed'],
      properties: { plan: 'gold', city: null },
    };
    const updated = await client.contacts.update(contact.id, change);
    const { city: _, ...kept } = contact.properties;
    t.deepEqual(updated, {
      ...contact,
      name: change.name,
      tags: ['renamed'],
      properties: { ...kept, plan: 'gold' },
      updatedAt: updated.updatedAt,
      version: 2,
    });
    t.true(updated.updatedAt > contact.updatedAt);
    t.deepEqual(await client.contacts.update(contact.id, change), updated);
    return `CONTACT_UPDATED ${contact.id} ${change.name}`;
  });
  await expectEvents(t, received, expected);
});

test('unsubscribing and resubscribing create one event each, however often they are called', async (t) => {
  const client = await newClient();
  const events: EventKind[] = ['CONTACT_UNSUBSCRIBED', 'CONTACT_RESUBSCRIBED'];
  const { received } = await subscribed(t, client, { events });
  const expected = await inParallel(rows.slice(0, 20), 8, async (row) => {
    const { id, name } = await client.contacts.create(row);
    for (const [action, status] of [
      ['unsubscribe', 'unsubscribed'],
      ['unsubscribe', 'unsubscribed'],
      ['resubscribe', 'subscribed'],
      ['resubscribe', 'subscribed'],
    ] as const) {
      t.is((await client.contacts[action](id)).status, status);
    }
    return events.map((event) => `${event} ${id} ${name}`);
  });
  await expectEvents(t, received, expected.flat());
});

test('a deleted contact is unknown, creates one event, and is no longer counted', async (t) => {
  const client = await newClient();
  const { received } = await subscribed(t, client, { events: ['CONTACT_DELETED'] });
  const contacts = await inParallel(rows.slice(0, 60), 8, (row) => client.contacts.create(row));
  const deleted = contacts.slice(0, 50);
  await inParallel(deleted, 8, async ({ id }) => {
    t.deepEqual(await client.contacts.delete(id), { deleted: true });
    for (const method of ['get', 'delete'] as const) {
      const error = await t.throwsAsync(client.contacts[method](id), { instanceOf: RosterError });
      t.true(error.is('not_found'));
    }
  });
  await expectEvents(
    t,
    received,
    deleted.map(({ id, name }) => `CONTACT_DELETED ${id} ${name}`),
  );
  const { contacts: left, pagination } = await client.contacts.list();
  t.deepEqual(
    left.map(({ id }) => id),
    contacts
      .slice(50)
      .map(({ id }) => id)
      .toSorted(),
  );
  t.is(pagination.total, 10);
});

test('a user who joins creates an event with the workspace', async (t) => {
  const client = openRoster(roster);
  const { received } = await subscribed(t, client, { events: ['WORKSPACE_TEAM_MEMBER_JOINED'] });
  const input = { email: 'colleague@example.com', name: 'Zoë Müller' };
  const user = await client.users.create(input);
  t.is(user.lastAccessedAt, user.createdAt);
  await expectEvents(t, received, [`WORKSPACE_TEAM_MEMBER_JOINED ${user.id} Zoë Müller`]);
  t.is(received[0]!.body.data.workspace!.id, roster.workspaceId);
});

for (const [whose, token] of Object.entries({
  given: 'a-token-of-our-own-choice',
  generated: undefined,
})) {
  test(`deliveries are signed both ways with a token that is ${whose}, and each has a unique ID`, async (t) => {
    const client = await newClient();
    const hook = await subscribed(t, client, token === undefined ? {} : { token });
    if (token === undefined) t.regex(hook.token, /^wht_[0-9A-Za-z]{33}$/);
    else t.is(hook.token, token);
    const created = await inParallel(rows.slice(0, 30), 8, (row) => client.contacts.create(row));
    await expectEvents(
      t,
      hook.received,
      created.map(({ id, name }) => `CONTACT_CREATED ${id} ${name}`),
    );
    const verifier = new Webhook(hook.signingSecret);
    for (const { headers, raw, body } of hook.received) {
      const signature = createHmac('sha256', hook.token).update(raw).digest('hex');
      t.is(headers['x-roster-signature'], signature);
      t.notThrows(() => verifier.verify(raw, headers as Record<string, string>));
      t.is(headers['x-roster-event'], body.event);
      t.is(headers['webhook-id'], headers['x-roster-delivery']);
      t.is(headers['content-type'], 'application/json');
      t.deepEqual(Object.keys(body), ['event', 'created_at', 'data']);
    }
    t.is(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size, created.length);
  });
}
