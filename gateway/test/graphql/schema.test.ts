import { diff, CriticalityLevel } from '@graphql-inspector/core';
import {
  attemptTriggers,
  contactSorts,
  deliveryStatuses,
  eventData,
  subscribableKinds,
  eventOrders,
  operations,
  replayStatuses,
  resources,
  scopes,
  type Operation,
  type ResourceKind,
} from '@roster/contracts';
import { compareRecorded, readFormer } from '@roster/testing';
import { findField } from '@roster/testing/graphql';
import test from 'ava';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLType,
} from 'graphql';
import { z } from 'zod';
import { buildRosterSchema, printedSchema, schemaFile } from '../../graphql/build-schema.js';

const schema = buildRosterSchema();

test('the committed schema is up to date', (t) => {
  compareRecorded(t, schemaFile, printedSchema());
});

test('contains no breaking changes since the former release', async (t) => {
  const changes = await diff(buildSchema(readFormer('schema.graphql')), schema);
  const breaking = changes.filter(
    ({ criticality }) => criticality.level === CriticalityLevel.Breaking,
  );
  t.deepEqual(
    breaking.map(({ message }) => message),
    [],
  );
});

const all = operations as Record<string, Operation>;
const fieldOf = (operation: string, side: 'input' | 'output', name?: string): z.ZodObject => {
  const object = all[operation]![side] as z.ZodObject;
  return name === undefined ? object : (object.shape[name] as z.ZodObject);
};

const elementOf = (object: z.ZodObject, name: string): z.ZodObject =>
  (object.shape[name] as z.ZodArray).element as z.ZodObject;

/** Types of the schema, and the types of the contracts that they correspond to. */
const objects: Record<string, z.ZodObject> = {
  Contact: fieldOf('contacts.get', 'output', 'contact'),
  ContactProperty: fieldOf('contact-properties.create', 'output', 'property'),
  User: fieldOf('users.me', 'output', 'user'),
  ApiKey: fieldOf('api-keys.get', 'output', 'apiKey'),
  CurrentKey: fieldOf('key.get', 'output', 'key'),
  Meta: fieldOf('meta.get', 'output', 'meta'),
  KeyWorkspace: fieldOf('key.get', 'output', 'key').shape['workspace'] as z.ZodObject,
  KeyUser: fieldOf('key.get', 'output', 'key').shape['user'] as z.ZodObject,
  Settings: fieldOf('settings.get', 'output', 'settings'),
  Session: fieldOf('sessions.get', 'output', 'session'),
  AuditEntry: elementOf(fieldOf('audit-log.list', 'output'), 'entries'),
  Webhook: fieldOf('webhooks.get', 'output', 'webhook'),
  Delivery: fieldOf('deliveries.get', 'output', 'delivery'),
  Attempt: elementOf(fieldOf('deliveries.get', 'output', 'delivery'), 'attempts'),
  Replay: fieldOf('replays.get', 'output', 'replay'),
  ContactAction: fieldOf('contact-actions.get', 'output', 'action'),
  Import: fieldOf('imports.get', 'output', 'import'),
  Erasure: fieldOf('erasures.get', 'output', 'erasure'),
  Suppression: fieldOf('suppressions.get', 'output', 'suppression'),
  ImportError: elementOf(fieldOf('imports.list-errors', 'output'), 'errors'),
  WebhookStats: fieldOf('webhooks.stats', 'output', 'stats'),
  WebhookHour: elementOf(fieldOf('webhooks.stats', 'output', 'stats'), 'hours'),
  EventContact: eventData.CONTACT_CREATED.shape.contact,
  EventUser: eventData.WORKSPACE_TEAM_MEMBER_JOINED.shape.user,
  EventWebhook: eventData.WEBHOOK_DISABLED.shape.webhook,
  EventWebhookId: eventData.DELIVERY_DEAD.shape.webhook,
  EventDelivery: eventData.DELIVERY_DEAD.shape.delivery,
  EventApiKey: eventData.KEY_EXPIRING.shape.apiKey,
  EventWorkspace: eventData.WORKSPACE_TEAM_MEMBER_JOINED.shape.workspace,
};
/** Inputs of mutations, and their operations. */
const inputs = new Map(
  Object.values(all).flatMap((operation) => {
    const input = findField(schema, operation)?.args.find(({ name }) => name === 'input');
    return input ? [[getNamedType(input.type).name, operation] as const] : [];
  }),
);
/** Fields with their own look-up are nullable, because it can be rejected: a key may read a webhook but not its token. */
const nullable = new Set([
  'Webhook.token',
  'Webhook.signingSecret',
  'Delivery.payload',
  'Delivery.attempts',
]);
/** Nullable in the contract, but not here: only a dry run has no ID, and it is not a `Replay`. */
const nonNull = new Set(['Replay.id']);
/** Fields for related objects, which have their own paths in REST, and for parts of other fields. */
const edges = new Set([
  'Contact.property',
  'Webhook.deliveries',
  'Webhook.stats',
  'Delivery.webhook',
  'Import.errors',
  'Replay.webhook',
]);

/** A notation common to GraphQL and JSON Schema: `string!`, `[string!]!`, `object`. */
function shapeOf(type: GraphQLType): string {
  if (isNonNullType(type)) return `${shapeOf(type.ofType as GraphQLType)}!`;
  if (isListType(type)) return `[${shapeOf(type.ofType)}]`;
  return isObjectType(type) || isInputObjectType(type) || String(type) === 'JSONObject'
    ? 'object'
    : 'string';
}

function shapeOfJson(json: z.core.JSONSchema.BaseSchema, required: boolean): string {
  const mark = required && !isNullable(json) ? '!' : '';
  // An open enumeration has a type beside its alternatives.
  const alternatives = json.type === undefined ? json.anyOf : undefined;
  const some = alternatives?.find(({ type }) => type !== 'null') ?? json;
  if (some.type === 'array') return `[${shapeOfJson(some.items as typeof json, true)}]${mark}`;
  // Only objects are named types in the contracts.
  return (some.type === 'object' || some.$ref !== undefined ? 'object' : 'string') + mark;
}

/** `type: ['string', 'null']`, or `anyOf` with null among them. */
const isNullable = ({ type, anyOf = [] }: z.core.JSONSchema.BaseSchema): boolean =>
  [type, ...anyOf.map((one) => one.type)].flat().includes('null');

function shapesOf(object: z.ZodObject, io: 'input' | 'output'): Record<string, string> {
  const { properties = {}, required = [] } = jsonSchemaOf(object, io);
  return Object.fromEntries(
    Object.entries(properties).map(([name, json]) => [
      name,
      shapeOfJson(json as z.core.JSONSchema.BaseSchema, required.includes(name)),
    ]),
  );
}

/**
 * As `shapesOf`, with the ID of the changed resource renamed to `id`, also if the input repeats it as `id`. The input of a create
 * refers to another resource.
 */
function inputShapesOf({ name, input, resource }: Operation): Record<string, string> {
  const { [idFieldOf(resource)]: id, ...rest } = shapesOf(input as z.ZodObject, 'input');
  if (id === undefined) return rest;
  return { ...rest, [name.endsWith('.create') ? idFieldOf(resource) : 'id']: id };
}

const idFieldOf = (kind: ResourceKind | undefined): string => (kind ? resources[kind].idField : '');

/** A named schema is converted to a reference to itself. */
function jsonSchemaOf(object: z.ZodObject, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema {
  const json = z.toJSONSchema(object, { io });
  const name = json.$ref?.split('/').at(-1);
  return name === undefined ? json : (json.$defs![name] as z.core.JSONSchema.BaseSchema);
}

function drift(type: GraphQLObjectType | GraphQLInputObjectType): Record<string, string> {
  const shapes: Record<string, string> = {};
  for (const { name, type: of } of Object.values(type.getFields())) {
    const path = `${type.name}.${name}`;
    if (edges.has(path)) continue;
    const shape = shapeOf(of);
    shapes[name] = nonNull.has(path)
      ? shape.replace(/!$/, '')
      : nullable.has(path)
        ? `${shape}!`
        : shape;
  }
  return shapes;
}

for (const [name, contract] of Object.entries(objects)) {
  test(`${name} has the fields of its contract with the same nullability`, (t) => {
    t.deepEqual(drift(schema.getType(name) as GraphQLObjectType), shapesOf(contract, 'output'));
  });
}

for (const [name, operation] of inputs) {
  test(`${name} has the fields of the input of ${operation.name} with the same nullability`, (t) => {
    t.deepEqual(
      drift(schema.getType(name) as GraphQLInputObjectType),
      inputShapesOf(operation),
      `gateway/graphql: ${name} and the input of ${operation.name} in libs/contracts differ`,
    );
  });
}

test('ContactFilter has the fields of the filter of contacts.export with the same nullability', (t) => {
  const contract = fieldOf('contacts.export', 'input').omit({ format: true });
  const type = schema.getType('ContactFilter') as GraphQLInputObjectType;
  // A condition on the status, which is an enumeration in GraphQL.
  t.deepEqual(drift(type), { ...shapesOf(contract, 'input'), statusNot: 'string' });
});

test('DeliveryFilter has the fields of the filter of workspace-deliveries.list with the same nullability', (t) => {
  const contract = fieldOf('workspace-deliveries.list', 'input').omit({
    totals: true,
    limit: true,
    after: true,
    before: true,
    from: true,
  });
  const type = schema.getType('DeliveryFilter') as GraphQLInputObjectType;
  t.deepEqual(drift(type), shapesOf(contract, 'input'));
});

test('compares all inputs and all types with an ID', (t) => {
  const compared = new Set([...Object.keys(objects), ...inputs.keys()]);
  const comparable = Object.values(schema.getTypeMap()).filter(
    (type) =>
      isInputObjectType(type) ||
      (isObjectType(type) && !type.name.startsWith('__') && 'id' in type.getFields()),
  );
  // Events combine the body and the data of the contract. The filter is a part of an input. Changes and orders are of no operation.
  const known = [
    'DeliveryActivity',
    'WebhookActivity',
    'ImportActivity',
    'ReplayActivity',
    'ContactActionActivity',
    'ContactEvent',
    'TeamMemberJoinedEvent',
    'ImportEndedEvent',
    'ActionEndedEvent',
    'WebhookEvent',
    'DeliveryDeadEvent',
    'KeyExpiringEvent',
    'ContactFilter',
    'ContactPropertySort',
    'ContactChange',
    'DeliveryFilter',
  ];
  t.deepEqual(
    comparable
      .map(({ name }) => name)
      .filter((name) => !compared.has(name) && !known.includes(name)),
    [],
  );
});

test('enums have the values of the contracts', (t) => {
  const valuesOf = (name: string) => {
    const type = schema.getType(name);
    return isEnumType(type) ? type.getValues().map(({ value }) => String(value)) : [];
  };
  t.deepEqual(valuesOf('EventKind'), [...subscribableKinds]);
  t.deepEqual(valuesOf('EventLogOrder'), [...eventOrders]);
  t.deepEqual(valuesOf('Scope'), [...scopes]);
  t.deepEqual(valuesOf('ContactSort'), [...contactSorts]);
  t.deepEqual(valuesOf('DeliveryStatus'), [...deliveryStatuses]);
  t.deepEqual(valuesOf('AttemptTrigger'), [...attemptTriggers]);
  t.deepEqual(
    valuesOf('ReplayStatus'),
    replayStatuses.filter((status) => status !== 'dry_run'),
  );
  const { properties } = jsonSchemaOf(objects['Contact']!, 'output');
  t.deepEqual(valuesOf('ContactStatus'), (properties!['status'] as { enum: string[] }).enum);
});
