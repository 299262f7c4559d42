/**
 * A program of a user, with every kind of call. package.test.ts compiles it with several compilers, and runs it in several
 * environments.
 */
import { Roster, RosterError, verify, type Contact, type WebhookEvent } from '@roster/client';

export async function run(baseUrl: string, apiKey: string): Promise<string> {
  const roster = new Roster({ apiKey, baseUrl });
  const stamp = Math.random().toString(36).slice(2);
  const email = `ada.${stamp}@example.com`;

  const name: string | undefined = undefined;
  const ada: Contact = await roster.contacts.create({ email, name, tags: [stamp] });
  const conflict = await faultOf(roster.contacts.create({ email }));
  expect(conflict.is('conflict') && conflict.existingId === ada.id, 'a conflict names the other');
  const invalid = await faultOf(roster.contacts.create({ email: 'nobody' }));
  expect(invalid.is('invalid') && invalid.errors[0]?.pointer === '/email', 'a fault has pointers');
  expect(invalid.requestId !== '', 'and the ID of its request');

  const { data, response } = await roster.contacts.get(ada.id).withResponse();
  expect(data.status === 'subscribed', 'a contact is read');
  const ifMatch = response.headers.get('etag') ?? '';
  await roster.contacts.update(ada.id, { name: 'Ada', properties: { city: 'Paris' } }, { ifMatch });
  const stale = await faultOf(roster.contacts.update(ada.id, { name: 'B' }, { ifMatch }));
  expect(stale.is('precondition_failed'), 'an old version is not changed');

  const { created, contact } = await roster.contacts.upsert({
    email: `bob.${stamp}@example.com`,
    tags: [stamp],
  });
  expect(created && contact.id !== ada.id, 'another one is created');
  const emails: string[] = [];
  for await (const { email } of roster.contacts.list({ tag: [stamp], limit: 1 }))
    emails.push(email);
  expect(emails.length === 2, 'all pages are iterated');
  const found = await roster.contacts.list({ property: { city: 'Paris' }, tag: [stamp] });
  expect(found.pagination.total === 1, 'a page is awaited');

  const file = `E-mail,City\neve.${stamp}@example.com,Rome\nnobody,Rome\n`;
  const upload = roster.imports.create(file, {
    format: 'csv',
    map: { 'E-mail': 'email', City: 'properties.city' },
  });
  const statuses = new Set<string>();
  for await (const { status } of upload) statuses.add(status);
  const ended = await upload;
  expect(
    ended.created === 1 && ended.failed === 1 && statuses.has('completed'),
    'a file is imported',
  );
  const errors = await roster.imports.listErrors(ended.id).text();
  expect(errors.includes('nobody'), 'its errors are read');
  const exported = await roster.contacts.export({ format: 'ndjson' }).text();
  expect(exported.includes(`eve.${stamp}@example.com`), 'contacts are exported');

  const webhook = await roster.webhooks.create({
    url: 'https://example.com/hook',
    events: ['CONTACT_CREATED'],
  });
  const body = JSON.stringify({
    event: 'CONTACT_CREATED',
    created_at: ada.createdAt,
    data: { contact: ada },
  });
  const event: WebhookEvent = await verify(
    body,
    await signed(body, webhook.signingSecret),
    webhook.signingSecret,
  );
  expect(
    event.event === 'CONTACT_CREATED' && event.data.contact.email === email,
    'an event is verified',
  );
  const deleted: true = (await roster.webhooks.delete(webhook.id)).deleted;
  expect(deleted, 'a webhook is deleted');

  for await (const { position, ...followed } of roster.events({ since: ada.createdAt })) {
    expect(position !== '', 'events are followed');
    if (followed.kind === 'CONTACT_CREATED')
      expect(followed.data.contact.id !== '', 'the kind of an event determines its data');
    break;
  }
  return 'done';
}

function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`expected: ${what}`);
}

async function faultOf(call: PromiseLike<unknown>): Promise<RosterError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RosterError) return error;
  }
  throw new Error('expected: a fault');
}

/** Headers of a delivery, by Standard Webhooks. */
async function signed(body: string, secret: string): Promise<Record<string, string>> {
  const [id, timestamp] = ['dlv_1', String(Math.floor(Date.now() / 1000))];
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (one) => one.charCodeAt(0));
  const key = await crypto.subtle.importKey(
    'raw',
    bytes,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const text = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, text));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  };
}

/** Orders by any property. */
export const byProperty = (roster: Roster, name: string) =>
  roster.contacts.list({ sort: `-property:${name}` });

/** What a compiler refuses. */
export function refused(roster: Roster): void {
  // @ts-expect-error A contact has an address.
  void roster.contacts.create({ name: 'Ada' });
  // @ts-expect-error A webhook subscribes to kinds that exist.
  void roster.webhooks.create({ url: 'https://example.com', events: ['X'] });
  // @ts-expect-error A name is a text.
  void roster.contacts.update('cont_1', { name: 5 });
  // @ts-expect-error Orders are known.
  void roster.contacts.list({ sort: 'label' });
  // @ts-expect-error Resources are known.
  void roster.contact;
  // @ts-expect-error An ID is needed.
  void roster.contacts.get();
}
