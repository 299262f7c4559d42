import { diff, CriticalityLevel } from '@graphql-inspector/core';
import {
  attemptTriggers,
  deliveryStatuses,
  eventData,
  eventKinds,
  operations,
  replayStatuses,
  resources,
  type Operation,
  type ResourceKind,
} from '@roster/contracts';
import { formerCommit } from '@roster/testing';
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
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { buildRosterSchema } from '../../graphql/build-schema.js';
import { printedSchema, schemaFile } from '../../graphql/print-schema.js';
import { findField } from './field-of-operation.js';

const schema = buildRosterSchema();

test('the committed schema is the one that is served', (t) => {
  t.is(readFileSync(schemaFile, 'utf8'), printedSchema(), 'run `npm run schema -w gateway`');
});

test('no change since the former release breaks a client', async (t) => {
  const root = join(dirname(schemaFile), '..');
  const former = await formerCommit(root);
  if (former === undefined) {
    t.log('This checkout does not hold the former release: nothing is compared.');
    t.pass();
    return;
  }
  t.log(`compared with ${former}`);
  const released = execFileSync('git', ['show', `${former}:gateway/schema.graphql`], {
    cwd: root,
    encoding: 'utf8',
  });
  const changes = await diff(buildSchema(released), schema);
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

/** Each type of the schema, and the shape of the contracts it shows. */
const objects: Record<string, z.ZodObject> = {
  Contact: fieldOf('contacts.get', 'output', 'contact'),
  ContactProperty: fieldOf('contact-properties.create', 'output', 'property'),
  User: fieldOf('users.me', 'output', 'user'),
  Webhook: fieldOf('webhooks.get', 'output', 'webhook'),
  Delivery: fieldOf('deliveries.get', 'output', 'delivery'),
  Attempt: elementOf(fieldOf('deliveries.get', 'output', 'delivery'), 'attempts'),
  Replay: fieldOf('replays.get', 'output', 'replay'),
  WebhookStats: fieldOf('webhooks.stats', 'output', 'stats'),
  WebhookHour: elementOf(fieldOf('webhooks.stats', 'output', 'stats'), 'hours'),
  EventContact: eventData.CONTACT_CREATED.shape.contact,
  EventUser: eventData.WORKSPACE_TEAM_MEMBER_JOINED.shape.user,
  EventWorkspace: eventData.WORKSPACE_TEAM_MEMBER_JOINED.shape.workspace,
};
/** Inputs of mutations, and the operations they ask. */
const inputs = new Map(
  Object.values(all).flatMap((operation) => {
    const input = findField(schema, operation)?.args.find(({ name }) => name === 'input');
    return input ? [[getNamedType(input.type).name, operation] as const] : [];
  }),
);
/** What may have to be asked for by itself is nullable: a key may see a webhook and not its token. */
const nullable = new Set(['Webhook.token', 'Delivery.payload', 'Delivery.attempts']);
/** What is never null: only a dry run has no id, and it is no `Replay`. */
const never = new Set(['Replay.id']);
/** Edges of the graph: in REST, addresses of their own. */
const edges = new Set([
  'Webhook.deliveries',
  'Webhook.stats',
  'Delivery.webhook',
  'Replay.webhook',
]);

/** What a type looks like from outside, in words both languages have: `string!`, `[string!]!`, `object`. */
function shapeOf(type: GraphQLType): string {
  if (isNonNullType(type)) return `${shapeOf(type.ofType as GraphQLType)}!`;
  if (isListType(type)) return `[${shapeOf(type.ofType)}]`;
  return isObjectType(type) || String(type) === 'JSONObject' ? 'object' : 'string';
}

function shapeOfJson(json: z.core.JSONSchema.BaseSchema, required: boolean): string {
  const mark = required && !isNullable(json) ? '!' : '';
  const some = json.anyOf?.find(({ type }) => type !== 'null') ?? json;
  if (some.type === 'array') return `[${shapeOfJson(some.items as typeof json, true)}]${mark}`;
  // Only objects have names of their own in the contracts.
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

/** As `shapesOf`, with the id of what is changed under its name in GraphQL; what is created belongs to another resource. */
function inputShapesOf({ name, input, resource }: Operation): Record<string, string> {
  const { [idFieldOf(resource)]: id, ...rest } = shapesOf(input as z.ZodObject, 'input');
  if (id === undefined) return rest;
  return { [name.endsWith('.create') ? idFieldOf(resource) : 'id']: id, ...rest };
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
    shapes[name] = never.has(path)
      ? shape.replace(/!$/, '')
      : nullable.has(path)
        ? `${shape}!`
        : shape;
  }
  return shapes;
}

for (const [name, contract] of Object.entries(objects)) {
  test(`${name} has the fields of its contract, as required as there`, (t) => {
    t.deepEqual(drift(schema.getType(name) as GraphQLObjectType), shapesOf(contract, 'output'));
  });
}

for (const [name, operation] of inputs) {
  test(`${name} has the fields that ${operation.name} takes, as required as there`, (t) => {
    t.deepEqual(
      drift(schema.getType(name) as GraphQLInputObjectType),
      inputShapesOf(operation),
      `gateway/graphql: ${name} and the input of ${operation.name} in libs/contracts differ`,
    );
  });
}

test('no input and no type with an id is missing from this comparison', (t) => {
  const compared = new Set([...Object.keys(objects), ...inputs.keys()]);
  const left = Object.values(schema.getTypeMap()).filter(
    (type) =>
      isInputObjectType(type) ||
      (isObjectType(type) && !type.name.startsWith('__') && 'id' in type.getFields()),
  );
  // Events are the contract's body, with its data spread.
  const known = ['ContactEvent', 'TeamMemberJoinedEvent'];
  t.deepEqual(
    left.map(({ name }) => name).filter((name) => !compared.has(name) && !known.includes(name)),
    [],
  );
});

test('enums have the values of the contracts', (t) => {
  const valuesOf = (name: string) => {
    const type = schema.getType(name);
    return isEnumType(type) ? type.getValues().map(({ value }) => String(value)) : [];
  };
  t.deepEqual(valuesOf('EventKind'), [...eventKinds]);
  t.deepEqual(valuesOf('DeliveryStatus'), [...deliveryStatuses]);
  t.deepEqual(valuesOf('AttemptTrigger'), [...attemptTriggers]);
  t.deepEqual(
    valuesOf('ReplayStatus'),
    replayStatuses.filter((status) => status !== 'dry_run'),
  );
  const { properties } = jsonSchemaOf(objects['Contact']!, 'output');
  t.deepEqual(valuesOf('ContactStatus'), (properties!['status'] as { enum: string[] }).enum);
});
