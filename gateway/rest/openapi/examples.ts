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
  'contact-properties.create': {
    name: 'company',
    label: 'Company',
    type: 'string',
    description: 'Where the contact works',
  },
  'contact-properties.update': { label: 'Employer' },
  'tokens.create': {
    scopes: ['api_user'],
    readOnly: true,
    operations: ['contacts.list', 'events'],
    expiresInSeconds: 900,
  },
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
  'webhooks.create': {
    url: 'https://example.com/hooks/roster',
    events: ['CONTACT_CREATED', 'CONTACT_DELETED'],
  },
  'webhooks.update': { events: ['CONTACT_CREATED', 'CONTACT_UPDATED'], payload: 'full' },
  'webhooks.rotate-token': { overlapSeconds: 3600 },
};

/** Examples of uploaded files by media type. */
export const fileExamples: Record<string, string> = {
  'text/csv': 'email,name,tags,city\nemmy@example.com,Emmy Noether,customer;vip,London\n',
  'application/x-ndjson':
    '{"email": "emmy@example.com", "name": "Emmy Noether", "properties": {"city": "London"}}\n',
};
