import { operations, pathFieldsOf, type Operation } from '@roster/contracts';
import { randomUUID } from 'node:crypto';
import type { Client, Contact } from './client.js';

export type Shown = Operation & Required<Pick<Operation, 'http'>>;
export const shown = (Object.values(operations) as Operation[]).filter(
  (one): one is Shown => !!one.http,
);

export const events = ['CONTACT_CREATED', 'CONTACT_UPDATED'];

const ownTag = 'tag-of-the-owner';

export type Ids = Awaited<ReturnType<typeof createResources>>;

/** What an operation names in its path: a kind of resource, or a field that is no ID. */
export const namedIn = ({ resource, http }: Shown): string | undefined =>
  resource ?? pathFieldsOf(http)[0];

/** Creates one resource of each kind, and returns their IDs. */
export async function createResources(owner: Client, url: string) {
  const created = async <Body>(path: string, body: object) =>
    (await owner.post<Body>(path, body)).body;
  const { contact } = await created<{ contact: Contact }>('/v1/contacts', {
    email: 'a@example.com',
    properties: { plan: 'pro' },
    tags: [ownTag],
  });
  const { webhook } = await created<{ webhook: { id: string } }>('/v1/webhooks', { url, events });
  const { properties } = (
    await owner.get<{ properties: { id: string }[] }>('/v1/contact-properties')
  ).body;
  const { delivery } = await created<{ delivery: { id: string; eventId: string } }>(
    `/v1/webhooks/${webhook.id}/test`,
    { kind: 'CONTACT_DELETED' },
  );
  const { replay } = await created<{ replay: { id: string } }>(
    `/v1/webhooks/${webhook.id}/replays`,
    { since: new Date(0).toISOString() },
  );
  const { apiKey } = await created<{ apiKey: { id: string } }>('/v1/api-keys', {
    name: 'Key',
    scopes: ['user'],
  });
  const { user } = await created<{ user: { id: string } }>('/v1/users', {
    email: `${randomUUID()}@example.com`,
    name: 'Member',
  });
  const { import: upload } = (
    await owner.post<{ import: { id: string } }>('/v1/imports', 'email\nimported@example.com\n', {
      'content-type': 'text/csv',
    })
  ).body;
  const { suppression } = await created<{ suppression: { id: string } }>('/v1/suppressions', {
    email: 'suppressed@example.com',
  });
  const { action } = await created<{ action: { id: string } }>('/v1/contacts/actions', {
    filter: { tag: ['no-contact-has-it'] },
    change: { delete: true },
  });
  const { contact: forgotten } = await created<{ contact: Contact }>('/v1/contacts', {
    email: 'forgotten@example.com',
  });
  const { erasure } = await created<{ erasure: { id: string } }>(
    `/v1/contacts/${forgotten.id}/erase`,
    {},
  );
  const { session } = await openSession(owner);
  return {
    session: session.id,
    suppression: suppression.id,
    erasure: erasure.id,
    import: upload.id,
    contactAction: action.id,
    tag: ownTag,
    contact: contact.id,
    contactProperty: properties[0]!.id,
    webhook: webhook.id,
    delivery: delivery.id,
    event: delivery.eventId,
    replay: replay.id,
    key: apiKey.id,
    user: user.id,
  };
}

/** A session of the console, opened with a link as a browser does. */
async function openSession(owner: Client): Promise<{ session: { id: string } }> {
  const { body } = await owner.post<{ link: { secret: string } }>('/v1/session-links', {});
  const opened = await owner.post<{ session: { id: string } }>(
    '/console/session/open',
    { link: body.link.secret },
    { 'sec-fetch-site': 'same-origin' },
  );
  return opened.body;
}
