import { interfaceLimits, releaseVersion } from '@roster/contracts';
import { requestExamples } from './examples.js';
import type { Schema } from './schemas.js';

interface DescribedOperation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Schema; example?: unknown }> }>;
}

/** Adds an example to each response of JSON: values of this file, and for the other fields, values of their schemas. */
export function addResponseExamples(
  paths: Record<string, Record<string, object>>,
  schemas: Record<string, Schema>,
): void {
  const operations = Object.values(paths).flatMap(
    (methods) => Object.values(methods) as DescribedOperation[],
  );
  for (const { operationId, responses } of operations)
    for (const [status, { content }] of Object.entries(responses)) {
      const json = status < '300' ? content?.['application/json'] : undefined;
      if (json)
        json.example = overlaid(
          exampleOf(json.schema, '', schemas),
          {
            ...requestExamples[operationId.replace('.patch', '.update')],
            ...operationExamples[`${operationId} ${status}`],
          },
          status,
        );
    }
}

/** An action that has just been created. */
const queued = {
  status: 'queued',
  ...{ examined: 0, matched: 0, changed: 0, unchanged: 0, failed: 0, failures: [] },
};

/** Fields of the resource that an operation returns, by its status. */
const operationExamples: Record<string, object> = {
  'contacts.unsubscribe 200': { status: 'unsubscribed' },
  'contact-actions.create 202': queued,
  'tags.rename 202': {
    ...queued,
    filter: { tag: ['is:customer'] },
    change: { removeTags: ['customer'], addTags: ['client'] },
  },
  'tags.delete 202': {
    ...queued,
    filter: { tag: ['is:customer'] },
    change: { removeTags: ['customer'] },
  },
  'contacts.erase 202': { status: 'queued', step: 'events', events: 0, deliveries: 0 },
  'contact-actions.cancel 200': { status: 'cancelled' },
  'imports.create 202': { status: 'queued', done: 0, created: 0, updated: 0, failed: 0 },
  'imports.preview 200': {
    format: 'csv',
    delimiter: ',',
    columns: [
      { name: 'E-mail', field: 'email', problem: null, values: ['emmy@example.com'] },
      { name: 'City', field: 'properties.City', problem: null, values: ['London'] },
    ],
    errors: [],
    rows: [
      {
        row: 2,
        contact: { email: 'emmy@example.com', properties: { City: 'London' } },
        errors: [],
      },
    ],
  },
  'imports.cancel 200': { status: 'cancelled' },
  'webhooks.disable 200': { status: 'disabled' },
  'deliveries.retry 202': { status: 'pending', completedAt: null },
  'webhooks.test 202': { status: 'pending', attemptCount: 0, completedAt: null },
  'replays.create 200': { id: null, status: 'dry_run', done: 0 },
  'replays.create 202': { done: 0 },
  'replays.cancel 200': { status: 'cancelled' },
};

/** Fields of named types. */
const typeExamples: Record<string, object> = {
  Contact: {
    email: 'emmy@example.com',
    name: 'Emmy Noether',
    tags: ['customer'],
    properties: { city: 'London' },
  },
  ContactProperty: { name: 'company', label: 'Company', description: 'Where the contact works' },
  ContactPropertyListed: { name: 'company', label: 'Company' },
  PropertyValue: { value: 'London', contacts: 312 },
  Workspace: {
    name: 'Analytical Engines',
    externalId: 'tenant-42',
    status: 'active',
    quotas: { contacts: 10_000, requestsPerDay: null },
    createdAt: '2026-01-31T09:00:00.000Z',
    deletion: null,
  },
  User: { email: 'grace@example.com', name: 'Grace Hopper' },
  ApiKey: { name: 'Billing service', prefix: 'rsk_5Nw0aB', scopes: ['api_user'], expiresAt: null },
  CurrentKey: {
    name: 'Billing service',
    scopes: ['api_user'],
    user: { id: 'usr_01jdd2wyr0fgysy41bd96rx7r1', name: 'Grace Hopper' },
    expiresAt: null,
    token: null,
  },
  Token: {
    secret: 'rst_k1.eyJ3IjoiMDFqZGQyd3lyMCJ9.Vw8c5PnE',
    operations: ['contacts.list', 'events'],
  },
  Session: {
    user: { id: 'usr_01jdd2wyr0fgysy41bd96rx7r1', name: 'Grace Hopper' },
    address: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    isCurrent: false,
  },
  SessionLink: {
    secret: 'rsl_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
    path: 'console#link=rsl_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
  },
  ExportLink: {
    secret: 'rel_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
    path: 'exports/rel_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
  },
  AuditEntry: { action: 'webhook.updated', address: '203.0.113.7' },
  WebhookListed: {
    description: 'Billing',
    headerNames: ['Authorization'],
    ratePerSecond: null,
    filter: null,
    traceContext: false,
    url: 'https://example.com/hooks/roster',
    disabledReason: null,
  },
  Webhook: {
    description: 'Billing',
    headerNames: ['Authorization'],
    ratePerSecond: null,
    filter: null,
    traceContext: false,
    url: 'https://example.com/hooks/roster',
    disabledReason: null,
    lastFailureAt: null,
    token: 'wht_4c1d8e9f01b6',
    signingSecret: 'whsec_d2h0XzRjMWQ4ZTlmMDFiNg==',
  },
  DeliveryListed: { status: 'delivered', reason: null, attemptCount: 1, nextAttemptAt: null },
  Delivery: { status: 'delivered', reason: null, attemptCount: 1, nextAttemptAt: null },
  Attempt: {
    number: 1,
    address: '203.0.113.20',
    statusCode: 204,
    errorClass: null,
    error: null,
    dnsMs: 4.1,
    connectMs: 11.8,
    tlsMs: 24.5,
    firstByteMs: 61.2,
    totalMs: 61.9,
    responseHeaders: { date: 'Sat, 31 Jan 2026 09:00:00 GMT' },
    responseBody: '',
    traceId: null,
  },
  WebhookHour: { attempts: 120, successes: 118, failures: 2, p50Ms: 61.9, p95Ms: 140.3 },
  Replay: { deliveryStatus: 'dead', kinds: null, total: 240, done: 100, status: 'running' },
  Import: {
    status: 'running',
    dryRun: false,
    total: 50_000,
    done: 20_000,
    created: 19_400,
    updated: 598,
    skipped: 0,
    failed: 2,
    notices: 0,
    reason: null,
    fileName: 'contacts.csv',
    endedAt: null,
  },
  ContactAction: {
    status: 'running',
    filter: { tag: ['any:vip,customer'] },
    change: { addTags: ['newsletter'] },
    dryRun: false,
    total: 50_000,
    examined: 20_000,
    matched: 1200,
    changed: 1190,
    unchanged: 9,
    failed: 1,
    failures: [
      {
        contactId: 'cont_01jdd2wyr0fgysy41bd96rx7r1',
        message: 'addTags must be fewer: the contact would have 101 tags, more than 100',
      },
    ],
    reason: null,
    endedAt: null,
  },
  Meta: {
    version: releaseVersion,
    deliveryAddresses: ['203.0.113.0/28'],
    eventRetentionSeconds: 2_592_000,
    deliveryRetentionDays: 30,
  },
  Limits: interfaceLimits,
  Suppression: { reason: 'complained' },
  Erasure: {
    status: 'running',
    step: 'deliveries',
    ...{ events: 14, deliveries: 10, records: 0, endedAt: null },
  },
  SuppressionRefusal: { index: 3, message: 'must be an email address' },
  ContactBatchResult: { status: 201 },
  Notice: { message: 'The contact remains unsubscribed. The other fields were applied.' },
};

/** Fields of any type. */
const fieldExamples: Record<string, unknown> = {
  email: 'emmy@example.com',
  lastStatusCode: 204,
  lastTotalMs: 61.9,
  secret: 'rsk_5Nw0aBcD3fGhJkLmNpQrStUvWxYz012345678',
  requestId: 'req_5d41402abc4b2a76b9719d911017c592',
  workspace: { id: 'wksp_01jdd2wyr0fgysy41bd96rx7r1', name: 'Analytical Engines' },
  origins: ['https://app.example.com'],
  kind: 'CONTACT_CREATED',
  events: ['CONTACT_CREATED', 'CONTACT_DELETED'],
  resourceId: 'wh_01jdd2wyr0fgysy41bd96rx7r1',
  before: { payload: 'compact' },
  after: { payload: 'full' },
  total: 1,
  limit: 50,
  offset: 0,
  next: null,
  previous: null,
  hasMore: false,
  data: {
    contact: {
      id: 'cont_01jdd2wyr0fgysy41bd96rx7r1',
      email: 'emmy@example.com',
      name: 'Emmy Noether',
      createdAt: '2026-01-31T09:00:00.000Z',
    },
  },
  payload: {
    event: 'CONTACT_CREATED',
    created_at: '2026-01-31T09:00:00.000Z',
    data: { contact: { id: 'cont_01jdd2wyr0fgysy41bd96rx7r1', email: 'emmy@example.com' } },
  },
  lastUsedIp: '203.0.113.7',
  signInEmail: 'ada@example.com',
};

/** Fields that a response has on request only, or that exclude others. */
const omitted = new Set(['unsubscribeUrl', 'totalIsEstimate', 'problem']);

function exampleOf(schema: Schema, field: string, schemas: Record<string, Schema>): unknown {
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
  if (name !== undefined) {
    const example = exampleOf(schemas[name]!, field, schemas);
    return name in typeExamples ? { ...(example as object), ...typeExamples[name] } : example;
  }
  const isObject = schema.properties !== undefined;
  // An event's kinds are a list, and a log's events are objects.
  const isList = ((schema.items as Schema | undefined)?.$ref ?? '') !== '';
  if (field in fieldExamples && !isList && !schema.enum) return fieldExamples[field];
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return exampleOf(choices[0] as Schema, field, schemas);
  if (isObject)
    return Object.fromEntries(
      Object.entries(schema.properties as Record<string, Schema>)
        .filter(([name]) => !omitted.has(name))
        .map(([name, one]) => [name, exampleOf(one, name, schemas)]),
    );
  const { type } = schema;
  if (Array.isArray(type)) return null;
  if (type === 'array') return [exampleOf(schema.items as Schema, '', schemas)];
  return (
    { object: {}, integer: 0, number: 0, boolean: true, string: 'text' }[type as string] ?? null
  );
}

/** The resource of a response with the fields of the request that created or changed it. */
function overlaid(example: unknown, request: object, status: string): unknown {
  if (typeof example !== 'object' || example === null) return example;
  const fields = Object.entries(example).map(([name, value]: [string, unknown]) => {
    if (name === 'created' && typeof value === 'boolean') return [name, status === '201'];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [name, value];
    const same = Object.entries(request).filter(
      ([key, own]) => key in value && !hasNull(own) && key !== 'operations',
    );
    return [name, { ...value, ...Object.fromEntries(same) }];
  });
  return Object.fromEntries(fields);
}

const hasNull = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).includes(null);
