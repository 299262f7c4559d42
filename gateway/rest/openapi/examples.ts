import type { EventKind } from '@roster/contracts';

/** Example request bodies by operation. */
export const requestExamples: Record<string, object> = {
  'contacts.create': {
    email: 'emmy@example.com',
    name: 'Emmy Noether',
    tags: ['customer'],
    properties: { city: 'London' },
  },
  'contacts.upsert': {
    email: 'emmy@example.com',
    name: 'Emmy Noether',
    tags: ['customer', 'newsletter'],
  },
  'contacts.update': {
    tags: ['customer', 'newsletter'],
    properties: { city: null, country: 'UK' },
  },
  'contacts.batch': {
    operations: [
      { action: 'create', email: 'emmy@example.com', tags: ['customer'] },
      { action: 'upsert', email: 'grace@example.com', name: 'Grace Hopper' },
      { action: 'delete', id: 'cont_01jdd2wyr0fgysy41bd96rx7r1' },
    ],
  },
  'contact-actions.create': {
    filter: { tag: ['any:vip,customer'], property: { city: 'London' } },
    change: { addTags: ['newsletter'], properties: { city: null } },
    dryRun: true,
  },
  'tags.rename': { name: 'client' },
  'contact-properties.create': {
    name: 'company',
    label: 'Company',
    type: 'string',
    description: 'Where the contact works',
  },
  'contact-properties.update': { label: 'Employer' },
  'suppressions.create': { email: 'grace@example.com', reason: 'complained' },
  'suppressions.import': {
    emails: ['grace@example.com', 'emmy@example.com'],
    reason: 'bounced',
  },
  'tokens.create': {
    scopes: ['api_user'],
    readOnly: true,
    operations: ['contacts.list', 'events'],
    expiresInSeconds: 900,
  },
  'export-links.create': { format: 'csv', tag: ['customer'] },
  'workspaces.set-origins': { origins: ['https://app.example.com'] },
  'settings.update': { strictProperties: true },
  'users.create': { email: 'grace@example.com', name: 'Grace Hopper' },
  'users.update-me': { name: 'Grace B. Hopper' },
  'api-keys.create': {
    name: 'Billing service',
    scopes: ['api_user'],
    expiresAt: '2035-01-31T09:00:00.000Z',
  },
  'api-keys.rotate': { overlapSeconds: 3600 },
  'api-keys.set-sign-in': { email: 'ada@example.com' },
  'webhooks.create': {
    url: 'https://example.com/hooks/roster',
    events: ['CONTACT_CREATED', 'CONTACT_DELETED'],
    description: 'Billing',
    headers: { Authorization: 'Bearer 4c1d8e9f' },
  },
  'webhooks.update': {
    events: ['CONTACT_CREATED', 'CONTACT_UPDATED'],
    payload: 'full',
    filter: { tag: ['any:vip,customer'], property: { city: 'not:London' } },
  },
  'webhooks.rotate-token': { overlapSeconds: 3600 },
  'admin-workspaces.create': {
    name: 'Analytical Engines',
    externalId: 'tenant-42',
    ownerEmail: 'ada@example.com',
    ownerName: 'Ada Lovelace',
  },
  'admin-workspaces.update': { name: 'Difference Engines' },
};

/** Examples of uploaded files by media type. */
export const fileExamples: Record<string, string> = {
  'text/csv': 'email,name,tags,city\nemmy@example.com,Emmy Noether,customer;vip,London\n',
  'application/x-ndjson':
    '{"email": "emmy@example.com", "name": "Emmy Noether", "properties": {"city": "London"}}\n',
};

/** Examples of the body of an event, by the payload of the webhook that receives it. */
export function eventExamples(kind: EventKind): Record<string, { value: object }> {
  const body = (data: object) => ({ value: { event: kind, created_at: createdAt, data } });
  const data = ofOthers[kind];
  if (data) return { compact: body(data) };
  const { status = 'subscribed', ...change } = changes[kind] ?? {};
  return {
    compact: body({ contact }),
    full: body({
      contact: {
        ...contact,
        ...details,
        status,
        ...(kind === 'CONTACT_CREATED' ? created : changedLater),
      },
      ...change,
    }),
  };
}

const createdAt = '2026-01-31T09:00:00.000Z';
const member = {
  workspace: { id: 'wksp_01jdd2wyr0fgysy41bd96rx7r1', name: 'Analytical Engines' },
  user: { id: 'usr_01jdd2wyr0fgysy41bd96rx7r1', email: 'grace@example.com', name: 'Grace Hopper' },
};
const failingWebhook = {
  id: 'wh_01jdd2wyr0fgysy41bd96rx7r1',
  description: 'Invoices',
  failingSince: createdAt,
  disabledReason: null,
};
const ofOthers: Partial<Record<EventKind, object>> = {
  WORKSPACE_TEAM_MEMBER_JOINED: member,
  IMPORT_ENDED: {
    import: {
      id: 'imp_01jdd2wyr0fgysy41bd96rx7r1',
      status: 'completed',
      format: 'csv',
      mode: 'upsert',
      events: 'summary',
      dryRun: false,
      total: 50_000,
      done: 50_000,
      created: 49_000,
      updated: 998,
      skipped: 0,
      failed: 2,
      notices: 0,
      reason: null,
      fileName: 'contacts.csv',
      createdAt,
      endedAt: '2026-01-31T09:00:12.000Z',
    },
  },
  ACTION_ENDED: {
    action: {
      id: 'act_01jdd2wyr0fgysy41bd96rx7r1',
      status: 'completed',
      filter: { tag: ['any:vip,customer'] },
      change: { addTags: ['newsletter'] },
      dryRun: false,
      total: 50_000,
      examined: 50_000,
      matched: 1200,
      changed: 1150,
      unchanged: 50,
      failed: 0,
      failures: [],
      reason: null,
      createdAt,
      endedAt: '2026-01-31T09:00:12.000Z',
    },
  },
  WEBHOOK_FAILING: { webhook: failingWebhook },
  WEBHOOK_DISABLED: {
    webhook: { ...failingWebhook, disabledReason: 'All attempts failed for 5 days.' },
  },
  DELIVERY_DEAD: {
    webhook: { id: failingWebhook.id },
    delivery: {
      id: 'dlv_01jdd2wyr0fgysy41bd96rx7r1',
      eventId: 'evt_01jdd2wyr0fgysy41bd96rx7r1',
      kind: 'CONTACT_UPDATED',
      reason: 'Given up after 10 attempts.',
      attemptCount: 10,
      lastStatusCode: 503,
    },
  },
  KEY_EXPIRING: {
    apiKey: {
      id: 'key_01jdd2wyr0fgysy41bd96rx7r1',
      name: 'Billing',
      userId: 'usr_01jdd2wyr0fgysy41bd96rx7r1',
      expiresAt: '2026-02-07T09:00:00.000Z',
    },
  },
};
const contact = {
  id: 'cont_01jdd2wyr0fgysy41bd96rx7r1',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  createdAt,
};
const details = { tags: ['customer'], properties: { city: 'London' } };
const externalId = 'crm-1234';
const created = { updatedAt: '2026-01-31T09:00:00.000000Z', version: 1, externalId };
const changedLater = { updatedAt: '2026-02-01T08:30:00.125000Z', version: 2, externalId };
const changes: Partial<
  Record<EventKind, { status?: string; changed: string[]; previous: object }>
> = {
  CONTACT_UPDATED: {
    changed: ['name', 'properties.city'],
    previous: { name: 'Ada Byron', properties: { city: null } },
  },
  CONTACT_UNSUBSCRIBED: {
    status: 'unsubscribed',
    changed: ['status'],
    previous: { status: 'subscribed' },
  },
  CONTACT_RESUBSCRIBED: { changed: ['status'], previous: { status: 'unsubscribed' } },
};
