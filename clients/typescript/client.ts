/** A program of a user: types from the OpenAPI document, requests with openapi-fetch. A test compiles and runs it. */
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Contact = components['schemas']['Contact'];

const { BASE_URL = '', API_KEY = '' } = process.env;
const client = createClient<paths>({
  baseUrl: BASE_URL,
  headers: { Authorization: `Bearer ${API_KEY}` },
});

function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`expected: ${what}`);
}

const created = await client.POST('/v1/contacts', {
  body: { email: 'ada@example.com', name: 'Ada', tags: ['vip'], properties: { city: 'London' } },
  params: { header: { 'Idempotency-Key': 'ada-1' } },
});
expect(created.data !== undefined, 'a contact is created');
const { id }: Contact = created.data.contact;
const location: string | null = created.response.headers.get('Location');
expect(location === `/v1/contacts/${id}`, 'its address is in Location');

const again = await client.POST('/v1/contacts', { body: { email: 'ada@example.com' } });
expect(again.error !== undefined && 'code' in again.error, 'a second one is refused');
expect(again.error.code === 'conflict' && again.error.existingId === id, 'with the first one');

const invalid = await client.POST('/v1/contacts', { body: { email: 'nobody' } });
expect(invalid.error?.status === 422, 'an address that is none is refused');

const got = await client.GET('/v1/contacts/{contactId}', { params: { path: { contactId: id } } });
expect(got.data?.contact.status === 'subscribed', 'a contact is subscribed');
const etag = got.response.headers.get('ETag');
expect(etag !== null, 'its version is in ETag');

const update = { params: { path: { contactId: id }, header: { 'If-Match': etag } } };
const updated = await client.PUT('/v1/contacts/{contactId}', { ...update, body: { name: 'A' } });
expect(updated.data?.contact.name === 'A', 'it is updated');
const stale = await client.PUT('/v1/contacts/{contactId}', { ...update, body: { name: 'B' } });
expect(stale.response.status === 412, 'an old version is not updated');

const page = await client.GET('/v1/contacts', {
  params: { query: { limit: 10, tag: ['vip'], sort: '-createdAt' } },
});
expect(page.data?.contacts.length === 1 && page.data.pagination.total === 1, 'it is found');
const next: string | null = page.data.pagination.next;
expect(next === null, 'on the only page');

const batch = await client.POST('/v1/contacts/batch', {
  body: {
    operations: [
      { action: 'create', email: 'bob@example.com' },
      { action: 'delete', id },
    ],
  },
});
expect(batch.data?.results.every(({ status }) => status < 300) === true, 'a batch is applied');

const hook = await client.POST('/v1/webhooks', {
  body: { url: 'https://example.com/hook', events: ['CONTACT_CREATED'] },
});
expect(hook.data?.webhook.signingSecret.startsWith('whsec_') === true, 'a webhook has a secret');

const file = await client.GET('/v1/exports/contacts', {
  params: { query: { format: 'csv' } },
  parseAs: 'text',
});
expect(file.data?.includes('bob@example.com') === true, 'contacts are exported');

// @ts-expect-error A contact has an address.
void (() => client.POST('/v1/contacts', { body: { name: 'Ada' } }));
// @ts-expect-error Nothing has this path.
void (() => client.GET('/v1/contact'));
// @ts-expect-error A webhook subscribes to kinds that exist.
void (() => client.POST('/v1/webhooks', { body: { url: 'https://example.com', events: ['X'] } }));
// @ts-expect-error A name is a text.
void (() => client.PUT('/v1/contacts/{contactId}', { ...update, body: { name: 5 } }));
// @ts-expect-error Orders are known.
void (() => client.GET('/v1/contacts', { params: { query: { sort: 'name' } } }));

console.log('done');
