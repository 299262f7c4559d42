import { createHmac } from 'node:crypto';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { Client, inParallel, type Contact } from './client.js';
import { contactsFromCsv } from './contacts-csv.js';
import { startReceiver, type Received } from './receiver.js';
import { patience, startRoster } from './running-roster.js';

interface One {
  contact: Contact;
}
interface Page {
  contacts: Contact[];
  pagination: { total: number; limit: number; offset: number; next: string | null };
}

const kinds = [
  'CONTACT_CREATED',
  'CONTACT_UPDATED',
  'CONTACT_UNSUBSCRIBED',
  'CONTACT_RESUBSCRIBED',
  'CONTACT_DELETED',
  'WORKSPACE_TEAM_MEMBER_JOINED',
];

/** One line per event: what an integrator would compare. */
const lineOf = ({ body: { event, data } }: Received) =>
  `${event} ${(data.contact ?? data.user)!.id} ${(data.contact ?? data.user)!.name}`;

test('a workspace lives: 1,000 contacts are loaded, changed and paged through, and its webhooks hear exactly that', async (t) => {
  t.timeout(180_000);
  const roster = await startRoster({ env: patience });
  t.teardown(() => roster.discard());
  const everything = await startReceiver();
  const deletions = await startReceiver();
  t.teardown(() => Promise.all([everything.stop(), deletions.stop()]));
  const client = new Client(roster);

  for (const name of ['city', 'plan', 'birthday', 'note']) {
    const { status, body } = await client.post<{ property: object }>('/v1/contact-properties', {
      name,
      label: `The ${name}`,
      type: 'string',
    });
    t.is(status, 201);
    t.like(body.property, { name, label: `The ${name}`, type: 'string' });
  }

  const token = 'a-token-of-our-own-choice';
  const hook = await client.post<{ webhook: { id: string; token: string } }>('/v1/webhooks', {
    url: everything.url,
    events: kinds,
    token,
  });
  t.is(hook.status, 201);
  t.is(hook.body.webhook.token, token);
  const second = await client.post<{ webhook: { token: string } }>('/v1/webhooks', {
    url: deletions.url,
    events: ['CONTACT_DELETED'],
  });
  t.regex(second.body.webhook.token, /^wht_[0-9A-Za-z]{32}$/);

  const expected: string[] = [];
  const rows = contactsFromCsv();
  const created = await inParallel(rows, 16, async (row) => {
    const { status, headers, body } = await client.post<One>('/v1/contacts', row);
    t.is(status, 201, row.email);
    t.is(headers.get('location'), `/v1/contacts/${body.contact.id}`);
    t.like(body.contact, { ...row, status: 'subscribed' });
    return body.contact;
  });
  expected.push(...created.map(({ id, name }) => `CONTACT_CREATED ${id} ${name}`));
  const properties = await client.get<{ properties: { name: string }[] }>('/v1/contact-properties');
  t.deepEqual(properties.body.properties.map(({ name }) => name).toSorted(), [
    'birthday',
    'city',
    'note',
    'plan',
  ]);

  await inParallel(created.slice(0, 100), 8, async (contact, n) => {
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
    expected.push(`CONTACT_UPDATED ${contact.id} ${change.name}`);
    // The same once more changes nothing, and nobody hears of it.
    t.deepEqual((await client.put<One>(`/v1/contacts/${contact.id}`, change)).body, body);
  });

  await inParallel(created.slice(100, 160), 8, async ({ id, name }, n) => {
    t.is(
      (await client.post<One>(`/v1/contacts/${id}/unsubscribe`)).body.contact.status,
      'unsubscribed',
    );
    t.is((await client.post<One>(`/v1/contacts/${id}/unsubscribe`)).status, 200);
    expected.push(`CONTACT_UNSUBSCRIBED ${id} ${name}`);
    if (n < 20) {
      t.is(
        (await client.post<One>(`/v1/contacts/${id}/resubscribe`)).body.contact.status,
        'subscribed',
      );
      expected.push(`CONTACT_RESUBSCRIBED ${id} ${name}`);
    }
  });

  const deleted = created.slice(900, 950);
  await inParallel(deleted, 8, async ({ id, name }) => {
    t.deepEqual((await client.delete<object>(`/v1/contacts/${id}`)).body, { deleted: true });
    t.is((await client.get<object>(`/v1/contacts/${id}`)).status, 404);
    t.is((await client.delete<object>(`/v1/contacts/${id}`)).status, 404);
    expected.push(`CONTACT_DELETED ${id} ${name}`);
  });

  const user = await client.post<{
    user: { id: string; createdAt: string; lastAccessedAt: string };
  }>('/v1/users', {
    email: 'colleague@example.com',
    name: 'Zoë Müller',
  });
  t.is(user.status, 201);
  t.is(user.body.user.lastAccessedAt, user.body.user.createdAt);
  expected.push(`WORKSPACE_TEAM_MEMBER_JOINED ${user.body.user.id} Zoë Müller`);

  await eventually(
    () =>
      everything.received.length >= expected.length && deletions.received.length >= deleted.length,
    {
      timeoutMs: 60_000,
      describe: `${expected.length} deliveries`,
    },
  );
  t.deepEqual(everything.received.map(lineOf).toSorted(), expected.toSorted());
  t.deepEqual(
    deletions.received.map(({ body }) => body.data.contact!.id).toSorted(),
    deleted.map(({ id }) => id).toSorted(),
  );

  const joined = everything.received.find(
    ({ body }) => body.event === 'WORKSPACE_TEAM_MEMBER_JOINED',
  )!;
  t.is(joined.body.data.workspace!.id, roster.workspaceId);
  const seenIds = new Set<string>();
  for (const [receiver, secret] of [
    [everything, token],
    [deletions, second.body.webhook.token],
  ] as const) {
    const verifier = new Webhook(secret, { format: 'raw' });
    for (const { headers, raw, body } of receiver.received) {
      t.is(headers['x-roster-signature'], createHmac('sha256', secret).update(raw).digest('hex'));
      t.notThrows(() => verifier.verify(raw, headers as Record<string, string>));
      t.is(headers['x-roster-event'], body.event);
      t.is(headers['webhook-id'], headers['x-roster-delivery']);
      t.is(headers['content-type'], 'application/json');
      t.deepEqual(Object.keys(body), ['event', 'created_at', 'data']);
      seenIds.add(headers['webhook-id'] as string);
    }
  }
  t.is(seenIds.size, expected.length + deleted.length, 'every delivery has an id of its own');

  const left = created
    .filter((contact) => !deleted.includes(contact))
    .map(({ id }) => id)
    .toSorted();
  const byOffset: string[] = [];
  for (let offset = 0; offset < 1000; offset += 100) {
    // More than 100 is applied as 100, and the answer says so.
    const { body } = await client.get<Page>(`/v1/contacts?limit=500&offset=${offset}`);
    t.like(body.pagination, { total: 950, limit: 100, offset });
    byOffset.push(...body.contacts.map(({ id }) => id));
  }
  t.deepEqual(byOffset, left);
  const byCursor: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const { body }: { body: Page } = await client.get<Page>(
      `/v1/contacts${next === '' ? '' : `?after=${next}`}`,
    );
    t.like(body.pagination, { total: 950, limit: 50 });
    byCursor.push(...body.contacts.map(({ id }) => id));
    ({ next } = body.pagination);
  }
  t.deepEqual(byCursor, left);
});
