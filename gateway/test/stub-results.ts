import {
  encodeId,
  interfaceLimits,
  releaseVersion,
  resources,
  type ResourceKind,
} from '@roster/contracts';

export const createdAt = '2026-01-31T09:00:00.000Z';
const idOf = (kind: ResourceKind) => encodeId(kind, '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01');
export const contactId = idOf('contact');
export const propertyId = idOf('contactProperty');
export const webhookId = idOf('webhook');
export const deliveryId = idOf('delivery');
export const eventId = idOf('event');
export const replayId = idOf('replay');
export const importId = idOf('import');
export const userId = idOf('user');
/** Value for each parameter of a path. */
export const pathIds: Record<string, string> = {
  tag: 'customer',
  workspaceId: encodeId('workspace', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01'),
  ...Object.fromEntries(
    Object.entries(resources).map(([kind, { idField }]) => [idField, idOf(kind as ResourceKind)]),
  ),
};

const contact = {
  id: contactId,
  email: 'ada@example.com',
  name: 'Ada “née Byron” Lovelace',
  createdAt,
  tags: [],
  properties: { id: 'no id' },
  status: 'subscribed',
  updatedAt: '2026-01-31T09:00:00.000001Z',
  version: 1,
  externalId: null,
};
const property = { id: propertyId, name: 'city', label: 'City', type: 'string', createdAt };
const user = {
  id: userId,
  email: 'ada@example.com',
  name: 'Ada',
  createdAt,
  lastAccessedAt: createdAt,
};
const apiKey = {
  id: idOf('key'),
  prefix: 'rsk_5Nw0aB',
  name: 'Billing service',
  scopes: ['user'],
  userId,
  createdAt,
  expiresAt: null,
  lastUsedAt: null,
  lastUsedIp: null,
  signInEmail: null,
};
const currentKey = {
  id: apiKey.id,
  name: apiKey.name,
  scopes: ['user'],
  workspace: { id: encodeId('workspace', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01'), name: 'Acme' },
  user: { id: userId, name: 'Ada' },
  createdAt,
  expiresAt: null,
  token: { readOnly: true, operations: null },
};
const auditEntry = {
  id: encodeId('auditEntry', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01'),
  action: 'webhook.token_read',
  actor: userId,
  actorName: 'Ada',
  actorType: 'user',
  keyId: idOf('key'),
  address: '203.0.113.7',
  requestId: 'req_1',
  resourceId: webhookId,
  before: null,
  after: null,
  createdAt,
};
const webhook = {
  id: webhookId,
  description: null,
  url: 'https://example.com/',
  events: ['CONTACT_CREATED'],
  payload: 'compact',
  headerNames: [],
  ratePerSecond: null,
  filter: null,
  traceContext: false,
  createdAt,
  status: 'active',
  disabledReason: null,
  lastSuccessAt: createdAt,
  lastFailureAt: null,
  token: 'wht_secret',
  signingSecret: 'whsec_d2h0X3NlY3JldA==',
};
const delivery = {
  id: deliveryId,
  webhookId,
  eventId,
  kind: 'CONTACT_CREATED',
  status: 'pending',
  reason: null,
  attemptCount: 0,
  createdAt,
  completedAt: null,
  nextAttemptAt: createdAt,
  subject: { contactId, email: 'ada@example.com' },
  lastStatusCode: null,
  lastError: null,
  lastTotalMs: null,
  payload: { event: 'CONTACT_CREATED' },
  attempts: [],
};
const replay = {
  id: replayId,
  webhookId,
  since: createdAt,
  until: createdAt,
  deliveryStatus: null,
  kinds: null,
  total: 1,
  done: 0,
  status: 'running',
  createdAt,
};

const imported = {
  id: importId,
  status: 'running',
  format: 'csv',
  mode: 'upsert',
  events: 'each',
  dryRun: false,
  total: 2,
  done: 1,
  created: 1,
  updated: 0,
  skipped: 0,
  failed: 0,
  reason: null,
  fileName: 'contacts.csv',
  createdAt,
  endedAt: null,
};

const suppression = { id: idOf('suppression'), reason: 'manual', createdAt };
const action = {
  id: idOf('contactAction'),
  status: 'running',
  filter: { tag: ['vip'] },
  change: { addTags: ['customer'] },
  dryRun: false,
  total: 3,
  examined: 2,
  matched: 2,
  changed: 1,
  unchanged: 0,
  failed: 1,
  failures: [{ contactId, message: 'addTags must be fewer' }],
  reason: null,
  createdAt,
  endedAt: null,
};

const erasure = {
  ...{ id: idOf('erasure'), contactId, status: 'running', step: 'deliveries' },
  ...{ events: 2, deliveries: 1, records: 0, createdAt, endedAt: null },
};

const token = {
  secret: 'rst_k1.e30.secret',
  expiresAt: createdAt,
  scopes: ['user'],
  readOnly: true,
  operations: null,
};

const session = {
  id: idOf('session'),
  user: currentKey.user,
  keyId: idOf('key'),
  createdAt,
  expiresAt: createdAt,
  lastUsedAt: createdAt,
  address: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  isCurrent: false,
};
const signedIn = {
  token: 'rst_k1.e30.secret',
  expiresAt: createdAt,
  session: { id: session.id, expiresAt: createdAt, freshUntil: createdAt },
  workspace: currentKey.workspace,
  user: { ...currentKey.user, email: 'ada@example.com' },
  scopes: ['user'],
};

const event = {
  id: eventId,
  kind: 'CONTACT_CREATED',
  createdAt,
  data: { contact: { id: contactId, email: 'ada@example.com', name: 'Ada', createdAt } },
  deliveries: [],
};

const results: Record<string, unknown> = {
  'contacts.list': {
    contacts: [contact],
    pagination: { total: 1, limit: 50, offset: 0, next: null },
  },
  'contacts.find': {
    contacts: [contact],
    pagination: {
      total: 1,
      limit: 50,
      offset: 0,
      next: null,
      hasNext: false,
      hasPrevious: false,
    },
  },
  'meta.get': {
    meta: {
      version: releaseVersion,
      limits: interfaceLimits,
      eventRetentionSeconds: 2_592_000,
      deliveryRetentionDays: 30,
      deliveryAddresses: ['203.0.113.7'],
    },
  },
  'contacts.export': { properties: ['city', 'id'] },
  'contacts.page': { contacts: [contact], hasNext: false, hasPrevious: false, total: null },
  'tags.list': {
    tags: [{ name: 'vip', contacts: 2 }],
    pagination: { limit: 50, next: null },
  },
  'contact-properties.list': {
    properties: [property],
    pagination: { limit: 1000, next: null },
  },
  'contact-properties.delete': { deleted: true },
  'users.list': { users: [user], pagination: { limit: 50, next: null } },
  'users.delete': { deleted: true },
  'api-keys.list': { apiKeys: [apiKey], pagination: { limit: 50, next: null } },
  'api-keys.create': { apiKey, secret: 'rsk_secret' },
  'api-keys.rotate': { apiKey, secret: 'rsk_secret' },
  'api-keys.delete': { deleted: true },
  'session-links.create': {
    link: { secret: 'rsl_secret', path: 'console#link=rsl_secret', expiresAt: createdAt },
  },
  'export-links.create': {
    link: { secret: 'rel_secret', path: 'exports/rel_secret', expiresAt: createdAt },
  },
  'export-links.use': { token: 'rst_token', input: { format: 'csv' } },
  'session-links.describe': {
    workspace: currentKey.workspace,
    user: currentKey.user,
    expiresAt: createdAt,
  },
  'identity-sign-ins.describe': { host: 'id.example.com' },
  'identity-sign-ins.start': {
    url: 'https://id.example.com/authorize?state=s',
    redirectUri: 'http://127.0.0.1:8080/console/session/oidc/callback',
    attempt: `${'s'.repeat(43)}.${'n'.repeat(43)}.${'v'.repeat(43)}`,
  },
  'identity-sign-ins.finish': { links: [`rsl_${'a'.repeat(48)}`], refusal: null },
  'sessions.open': signedIn,
  'sessions.create-token': signedIn,
  'sessions.end': { ended: true },
  'sessions.list': { sessions: [session], pagination: { limit: 50, next: null } },
  'sessions.delete': { deleted: true },
  'key.get': { key: currentKey },
  'audit-log.list': {
    entries: [auditEntry],
    pagination: { limit: 50, next: null },
  },
  'workspaces.origins': { origins: ['https://app.example.com'] },
  'workspaces.set-origins': { origins: ['https://app.example.com'] },
  'origins.check': { isListed: false },
  'unsubscribe-links.get': { status: 'subscribed', workspaceId: currentKey.workspace.id },
  'unsubscribe-links.use': {
    status: 'unsubscribed',
    workspaceId: currentKey.workspace.id,
    undo: '1769850000000.AAAAAAAAAAAAAAAAAAAAAA',
  },
  'unsubscribe-links.undo': { status: 'subscribed', workspaceId: currentKey.workspace.id },
  'workspaces.name': { name: 'Acme <& Söhne>' },
  'webhooks.list': { webhooks: [] },
  'webhooks.find': { webhook: { ...webhook, token: undefined, signingSecret: undefined } },
  'webhooks.test': { delivery },
  'contacts.property-values': { values: [{ value: 'Paris', contacts: 2 }] },
  'webhook-health.get': { webhooks: [] },
  'usage.get': { usage: [] },
  'webhooks.stats': { stats: { hours: [] } },
  'deliveries.list': {
    deliveries: [delivery],
    pagination: { limit: 50, next: null, previous: null },
  },
  'workspace-deliveries.list': {
    deliveries: [delivery],
    totals: null,
    pagination: { limit: 50, next: null, previous: null },
  },
  'contacts.upsert': { created: true, contact },
  'contacts.batch': { results: [{ status: 201, id: contact.id }] },
  'event-log.list': {
    events: [event],
    pagination: { limit: 50, next: null, hasMore: false },
  },
  'contact-actions.list': { actions: [action], pagination: { limit: 50, next: null } },
  'imports.list': { imports: [imported], pagination: { limit: 50, next: null } },
  'replays.list': { replays: [replay], pagination: { limit: 50, next: null } },
  'imports.preview': {
    preview: {
      format: 'csv',
      errors: [],
      rows: [{ row: 2, contact: { email: 'ada@example.com' }, errors: [] }],
    },
  },
  'imports.append': { received: true },
  'imports.list-errors': { errors: [], next: null },
  'suppressions.list': {
    suppressions: [suppression],
    pagination: { limit: 50, next: null },
  },
  'suppressions.create': { created: true, suppression },
  'suppressions.delete': { deleted: true },
  'suppressions.delete-by-email': { existed: true },
  'suppressions.import': { created: 1, known: 0, refused: [{ index: 1, message: 'wrong' }] },
  'contacts.delete': { deleted: true },
  'contacts.erase': { erasure },
  'webhooks.delete': { deleted: true },
};
const resultsOfNoun: Record<string, unknown> = {
  contacts: { contact },
  'contact-properties': { property },
  tokens: { token },
  users: { user },
  'api-keys': { apiKey },
  webhooks: { webhook },
  deliveries: { delivery },
  replays: { replay },
  imports: { import: imported },
  suppressions: { suppression },
  erasures: { erasure },
  'contact-actions': { action },
  tags: { action },
  event: { event },
  sessions: { session },
  settings: { settings: { strictProperties: false } },
};

/** Result of an operation. The trailing space would be lost if the gateway parsed and serialized it. */
export const stubBytes = (operation: string): string =>
  `${JSON.stringify(results[operation] ?? resultsOfNoun[operation.split('.')[0]!])} `;
