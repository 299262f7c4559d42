import { createHmac } from 'node:crypto';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { Client, inParallel, type Contact } from './client.js';
import { contactsFromCsv } from './contacts-csv.js';
import { sharedRoster, type SharedRoster } from './running-roster.js';
import { expectEvents, subscribed } from './subscribed-receiver.js';

/** The life cycle of a workspace, as an integrator sees it. */

interface One {
  contact: Contact;
}
interface Page {
  contacts: Contact[];
  pagination: { total: number; limit: number; offset: number; next: string | null };
}

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});

const rows = contactsFromCsv();

/** A client of a new workspace. */
async function newClient(): Promise<Client> {
  const { apiKey } = await roster.newWorkspace('Life');
  return new Client({ baseUrl: roster.baseUrl, apiKey });
}

const create = async (client: Client, row: object) =>
  (await client.post<One>('/v1/contacts', row)).body.contact;

test('a webhook with the full payload receives what an update changed, and others the bytes without it', async (t) => {
  const client = await newClient();
  const events = ['CONTACT_UPDATED'];
  const full = await subscribed(t, client, { events, payload: 'full' });
  const compact = await subscribed(t, client, { events });
  const { id } = await create(client, { email: 'a@example.com', properties: { city: 'Basel' } });
  await client.put(`/v1/contacts/${id}`, { name: 'A', properties: { city: 'Bern', plan: 'pro' } });
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
    const { status, headers, body } = await client.post<One>('/v1/contacts', row);
    t.is(status, 201, row.email);
    t.is(headers.get('location'), `/v1/contacts/${body.contact.id}`);
    t.like(body.contact, { ...row, status: 'subscribed' });
    return body.contact;
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
    const { body } = await client.get<Page>(`/v1/contacts?limit=500&offset=${offset}`);
    t.like(body.pagination, { total, limit: 100, offset });
    byOffset.push(...body.contacts.map(({ id }) => id));
  }
  t.deepEqual(byOffset, ids);

  const byCursor: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const { body }: { body: Page } = await client.get<Page>(
      `/v1/contacts${next === '' ? '' : `?after=${next}`}`,
    );
    t.like(body.pagination, { total, limit: 50 });
    byCursor.push(...body.contacts.map(({ id }) => id));
    ({ next } = body.pagination);
  }
  t.deepEqual(byCursor, ids);
});

test('a property is defined explicitly with its label, or by the first contact that has it', async (t) => {
  const client = await newClient();
  for (const name of ['city', 'plan']) {
    const { status, body } = await client.post<{ property: object }>('/v1/contact-properties', {
      name,
      label: `The ${name}`,
      type: 'string',
    });
    t.is(status, 201);
    t.like(body.property, { name, label: `The ${name}`, type: 'string' });
  }
  await create(client, { email: 'ada@example.com', properties: { city: 'London', note: 'x' } });
  const { properties } = (
    await client.get<{ properties: { name: string; label: string }[] }>('/v1/contact-properties')
  ).body;
  t.deepEqual(Object.fromEntries(properties.map(({ name, label }) => [name, label])), {
    city: 'The city',
    note: 'note',
    plan: 'The plan',
  });
});

test('an update returns the whole contact and creates one event; repeating it changes nothing', async (t) => {
  const client = await newClient();
  const { received } = await subscribed(t, client, { events: ['CONTACT_UPDATED'] });
  const expected = await inParallel(rows.slice(0, 100), 8, async (row, n) => {
    const contact = await create(client, row);
    const change = {
      name: `Renamed ${n} ✏️`,
      tags: ['renamed'],
      properties: { plan: 'gold', city: null },
    };
    const { status, body } = await client.put<One>(`/v1/contacts/${contact.id}`, change);
    t.is(status, 200);
    const { city: _, ...kept } = contact.properties;
    t.deepEqual(body.contact, {
      ...contact,
      name: change.name,
      tags: ['renamed'],
      properties: { ...kept, plan: 'gold' },
    });
    t.deepEqual((await client.put<One>(`/v1/contacts/${contact.id}`, change)).body, body);
    return `CONTACT_UPDATED ${contact.id} ${change.name}`;
  });
  await expectEvents(t, received, expected);
});

test('unsubscribing and resubscribing create one event each, however often they are called', async (t) => {
  const client = await newClient();
  const events = ['CONTACT_UNSUBSCRIBED', 'CONTACT_RESUBSCRIBED'];
  const { received } = await subscribed(t, client, { events });
  const expected = await inParallel(rows.slice(0, 20), 8, async (row) => {
    const { id, name } = await create(client, row);
    for (const [action, status] of [
      ['unsubscribe', 'unsubscribed'],
      ['unsubscribe', 'unsubscribed'],
      ['resubscribe', 'subscribed'],
      ['resubscribe', 'subscribed'],
    ] as const) {
      const { body } = await client.post<One>(`/v1/contacts/${id}/${action}`);
      t.is(body.contact.status, status);
    }
    return events.map((event) => `${event} ${id} ${name}`);
  });
  await expectEvents(t, received, expected.flat());
});

test('a deleted contact is unknown, creates one event, and is no longer counted', async (t) => {
  const client = await newClient();
  const { received } = await subscribed(t, client, { events: ['CONTACT_DELETED'] });
  const contacts = await inParallel(rows.slice(0, 60), 8, (row) => create(client, row));
  const deleted = contacts.slice(0, 50);
  await inParallel(deleted, 8, async ({ id }) => {
    t.deepEqual((await client.delete<object>(`/v1/contacts/${id}`)).body, { deleted: true });
    t.is((await client.get<object>(`/v1/contacts/${id}`)).status, 404);
    t.is((await client.delete<object>(`/v1/contacts/${id}`)).status, 404);
  });
  await expectEvents(
    t,
    received,
    deleted.map(({ id, name }) => `CONTACT_DELETED ${id} ${name}`),
  );
  const { contacts: left, pagination } = (await client.get<Page>('/v1/contacts')).body;
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
  const client = new Client(roster);
  const { received } = await subscribed(t, client, { events: ['WORKSPACE_TEAM_MEMBER_JOINED'] });
  const { status, body } = await client.post<{
    user: { id: string; createdAt: string; lastAccessedAt: string };
  }>('/v1/users', { email: 'colleague@example.com', name: 'Zoë Müller' });
  t.is(status, 201);
  t.is(body.user.lastAccessedAt, body.user.createdAt);
  await expectEvents(t, received, [`WORKSPACE_TEAM_MEMBER_JOINED ${body.user.id} Zoë Müller`]);
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
    const created = await inParallel(rows.slice(0, 30), 8, (row) => create(client, row));
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
