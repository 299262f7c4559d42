import test from 'ava';
import { z } from 'zod';
import { brokenPromises, type Contracts } from './compare-contracts.js';
import { refusals, type Schema } from './compare-schemas.js';

const schema = (type: z.ZodType, io: 'input' | 'output' = 'input') =>
  z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Schema;
/** What a client could say before, and cannot any more. */
const narrowed = (before: z.ZodType, after: z.ZodType) =>
  refusals(schema(before), schema(after), { open: false });
/** What a reader relied on before, and cannot any more. */
const unreadable = (before: z.ZodType, after: z.ZodType) =>
  refusals(schema(after, 'output'), schema(before, 'output'), { open: true });

const text = z.string();
const refused: Record<string, [z.ZodType, z.ZodType, string]> = {
  'a new required field': [z.object({}), z.object({ a: text }), '/a: is required'],
  'a field that becomes required': [
    z.object({ a: text.optional() }),
    z.object({ a: text }),
    '/a: is required',
  ],
  'a field that is gone': [z.strictObject({ a: text }), z.strictObject({}), '/a: is gone'],
  'another type': [z.object({ a: text }), z.object({ a: z.boolean() }), '/a: does not take string'],
  'null no more': [
    z.object({ a: text.nullable() }),
    z.object({ a: text }),
    '/a: does not take null',
  ],
  'an enum value that is gone': [z.enum(['a', 'b']), z.enum(['a']), ': does not take "b"'],
  'a free text that becomes an enum': [text, z.enum(['a']), ': takes certain values only'],
  'a lower maximum': [text.max(10), text.max(9), ': maxLength is 9, not 10'],
  'a new maximum': [z.array(text), z.array(text).max(3), ': maxItems is 3, not free'],
  'a higher minimum': [z.int().min(0), z.int().min(1), ': minimum is 1, not 0'],
  'a new pattern': [text, text.regex(/^a/), ': pattern is ^a, not free'],
  'a stricter item': [z.array(text.max(2)), z.array(text.max(1)), '/*: maxLength is 1, not 2'],
  'a stricter entry': [
    z.record(text, text.nullable()),
    z.record(text, text),
    '/*: does not take null',
  ],
  'an alternative that is gone': [z.union([text, z.int()]), text, ': does not take integer'],
  'integers only': [z.number().min(0).max(9), z.int().min(0).max(9), ': does not take number'],
};
for (const [what, [before, after, reason]] of Object.entries(refused)) {
  test(`finds in an input ${what}`, (t) => t.deepEqual(narrowed(before, after), [reason]));
}

const accepted: Record<string, [z.ZodType, z.ZodType]> = {
  'a new optional field': [z.strictObject({}), z.strictObject({ a: text.optional() })],
  'a field that becomes optional': [z.object({ a: text }), z.object({ a: text.optional() })],
  'a new enum value': [z.enum(['a']), z.enum(['a', 'b'])],
  'an enum that becomes free': [z.enum(['a']), text],
  'a higher maximum': [text.max(9), text.max(10)],
  'a maximum that is gone': [text.max(9), text],
  'a new alternative': [text, z.union([text, z.int()])],
  'null as well': [z.object({ a: text }), z.object({ a: text.nullable() })],
  'another description': [text.meta({ description: 'one' }), text.meta({ description: 'two' })],
};
for (const [what, [before, after]] of Object.entries(accepted)) {
  test(`accepts in an input ${what}`, (t) => t.deepEqual(narrowed(before, after), []));
}

test('finds in an output what its readers miss, and accepts what it gains', (t) => {
  const before = z.object({ a: text, b: z.enum(['x']) });
  t.deepEqual(unreadable(before, before.extend({ c: text })), []);
  t.deepEqual(unreadable(before, before.omit({ a: true })), ['/a: is required']);
  t.deepEqual(unreadable(before, before.extend({ a: text.optional() })), ['/a: is required']);
  t.deepEqual(unreadable(before, before.extend({ a: text.nullable() })), [
    '/a: does not take null',
  ]);
  t.deepEqual(unreadable(before, before.extend({ b: z.enum(['x', 'y']) })), [
    '/b: does not take "y"',
  ]);
});

const input = z.strictObject({ a: text });
const contracts: Contracts = {
  operations: {
    'things.get': {
      service: 'things',
      access: 'read',
      http: { method: 'GET', path: '/v1/things', status: 200, scope: 'user', tag: 'Things' },
      input: schema(input),
      parsedInput: schema(input, 'output'),
      output: schema(z.object({ thing: text }), 'output'),
    },
  },
  events: { THING_CREATED: schema(z.object({ thing: text }), 'output') },
  broadcasts: { 'things.changed': { thingId: 'string' } },
  faults: { not_found: 404 },
};
const operation = contracts.operations['things.get']!;
const withOperation = (changed: Partial<typeof operation>): Contracts => ({
  ...contracts,
  operations: { 'things.get': { ...operation, ...changed } },
});

test('contracts that have not changed, or have more, break nothing', (t) => {
  t.deepEqual(brokenPromises(contracts, contracts), []);
  const more: Contracts = {
    operations: { ...contracts.operations, 'things.list': operation },
    events: { ...contracts.events, THING_DELETED: {} },
    broadcasts: { 'things.changed': { thingId: 'string', why: 'string' }, 'things.gone': {} },
    faults: { ...contracts.faults, gone: 410 },
  };
  t.deepEqual(brokenPromises(contracts, more), []);
});

test('finds operations, events, broadcasts and faults that are gone', (t) => {
  const nothing: Contracts = { operations: {}, events: {}, broadcasts: {}, faults: {} };
  t.deepEqual(brokenPromises(contracts, nothing), [
    'operation things.get is gone',
    'event THING_CREATED is gone',
    'broadcast things.changed is gone',
    'fault not_found is gone',
  ]);
});

test('finds another path, service, status or field of a broadcast', (t) => {
  t.deepEqual(brokenPromises(contracts, withOperation({ service: 'others' })), [
    'operation things.get: service is others instead of things',
  ]);
  const http = { ...operation.http, path: '/v1/items' };
  t.deepEqual(brokenPromises(contracts, withOperation({ http })), [
    'operation things.get: http.path is not "/v1/things" any more',
  ]);
  t.deepEqual(brokenPromises(contracts, { ...contracts, faults: { not_found: 410 } }), [
    'fault not_found: has status 410 instead of 404',
  ]);
  const broadcasts = { 'things.changed': { id: 'string' } };
  t.deepEqual(brokenPromises(contracts, { ...contracts, broadcasts }), [
    'broadcast things.changed/thingId: is not string any more',
  ]);
});

test('finds a new field with a default, which a gateway of the former release does not send', (t) => {
  const grown = input.extend({ b: text.default('') });
  const after = withOperation({ input: schema(grown), parsedInput: schema(grown, 'output') });
  t.deepEqual(brokenPromises(contracts, after), ['operation things.get input /b: is required']);
});

test('finds a field that a service of the former release needs and is not sent any more', (t) => {
  const looser = z.strictObject({ a: text.optional() });
  const after = withOperation({ input: schema(looser), parsedInput: schema(looser, 'output') });
  t.deepEqual(brokenPromises(contracts, after), [
    'operation things.get input /a: is required (to a service of the former release)',
  ]);
});
