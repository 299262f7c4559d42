import test from 'ava';
import { z } from 'zod';
import { brokenPromises, type Contracts } from './compare-contracts.js';
import { refusals, type Schema } from './compare-schemas.js';

const schema = (type: z.ZodType, io: 'input' | 'output' = 'input') =>
  z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Schema;
/** Values that clients could send before, and cannot send any more. */
const narrowed = (before: z.ZodType, after: z.ZodType) =>
  refusals(schema(before), schema(after), { open: false });
/** Guarantees that readers relied on, and that no longer hold. */
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
  'a removed field': [z.strictObject({ a: text }), z.strictObject({}), '/a: was removed'],
  'another type': [
    z.object({ a: text }),
    z.object({ a: z.boolean() }),
    '/a: does not accept string',
  ],
  'null no longer allowed': [
    z.object({ a: text.nullable() }),
    z.object({ a: text }),
    '/a: does not accept null',
  ],
  'a removed enum value': [z.enum(['a', 'b']), z.enum(['a']), ': does not accept "b"'],
  'an arbitrary string that becomes an enum': [
    text,
    z.enum(['a']),
    ': accepts only certain values',
  ],
  'a lower maximum': [text.max(10), text.max(9), ': maxLength is 9, not 10'],
  'a new maximum of a number': [z.number(), z.number().max(3), ': maximum is 3, not unlimited'],
  'a higher minimum': [z.int().min(0), z.int().min(1), ': minimum is 1, not 0'],
  'a new pattern': [text, text.regex(/^a/), ': pattern is ^a, not unlimited'],
  'a stricter item': [z.array(text.max(2)), z.array(text.max(1)), '/*: maxLength is 1, not 2'],
  'a stricter entry': [
    z.record(text, text.nullable()),
    z.record(text, text),
    '/*: does not accept null',
  ],
  'a removed alternative': [z.union([text, z.int()]), text, ': does not accept integer'],
  'integers only': [z.number().min(0).max(9), z.int().min(0).max(9), ': does not accept number'],
};
for (const [what, [before, after, reason]] of Object.entries(refused)) {
  test(`finds in an input ${what}`, (t) => t.deepEqual(narrowed(before, after), [reason]));
}

const accepted: Record<string, [z.ZodType, z.ZodType]> = {
  'a maximum size where there was none': [z.array(text), z.array(text.max(9)).max(3)],
  'a new optional field': [z.strictObject({}), z.strictObject({ a: text.optional() })],
  'a field that becomes optional': [z.object({ a: text }), z.object({ a: text.optional() })],
  'a new enum value': [z.enum(['a']), z.enum(['a', 'b'])],
  'an enum that becomes an arbitrary string': [z.enum(['a']), text],
  'a higher maximum': [text.max(9), text.max(10)],
  'a removed maximum': [text.max(9), text],
  'a new alternative': [text, z.union([text, z.int()])],
  'null in addition': [z.object({ a: text }), z.object({ a: text.nullable() })],
  'another description': [text.meta({ description: 'one' }), text.meta({ description: 'two' })],
};
for (const [what, [before, after]] of Object.entries(accepted)) {
  test(`accepts in an input ${what}`, (t) => t.deepEqual(narrowed(before, after), []));
}

test('finds fields that an output lost, and accepts fields that it gained', (t) => {
  const before = z.object({ a: text, b: z.enum(['x']) });
  t.deepEqual(unreadable(before, before.extend({ c: text })), []);
  t.deepEqual(unreadable(before, before.omit({ a: true })), ['/a: is required']);
  t.deepEqual(unreadable(before, before.extend({ a: text.optional() })), ['/a: is required']);
  t.deepEqual(unreadable(before, before.extend({ a: text.nullable() })), [
    '/a: does not accept null',
  ]);
  t.deepEqual(unreadable(before, before.extend({ b: z.enum(['x', 'y']) })), [
    '/b: does not accept "y"',
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
  permissions: ['gateway publishes things.get'],
};
const operation = contracts.operations['things.get']!;
const withOperation = (changed: Partial<typeof operation>): Contracts => ({
  ...contracts,
  operations: { 'things.get': { ...operation, ...changed } },
});

test('unchanged and extended contracts have no findings', (t) => {
  t.deepEqual(brokenPromises(contracts, contracts), []);
  const more: Contracts = {
    operations: { ...contracts.operations, 'things.list': operation },
    events: { ...contracts.events, THING_DELETED: {} },
    broadcasts: { 'things.changed': { thingId: 'string', why: 'string' }, 'things.gone': {} },
    faults: { ...contracts.faults, gone: 410 },
    permissions: [...contracts.permissions, 'gateway publishes things.list'],
  };
  t.deepEqual(brokenPromises(contracts, more), []);
});

test('accepts a new value of an enumeration, which a service of the former release refuses, but no other values', (t) => {
  const withValues = (...values: string[]): Contracts => {
    const one = z.strictObject({ a: z.enum(values) });
    return withOperation({ input: schema(one), parsedInput: schema(one, 'output') });
  };
  t.deepEqual(brokenPromises(withValues('x'), withValues('x', 'y')), []);
  t.deepEqual(brokenPromises(withValues('x'), withValues('y')), [
    'operation things.get input /a: does not accept "x"',
    'operation things.get input /a: does not accept "x"',
    'operation things.get input /a: does not accept "y" (to a service of the former release)',
  ]);
});

test('finds removed operations, events, broadcasts, faults and permissions', (t) => {
  const nothing = { operations: {}, events: {}, broadcasts: {}, faults: {}, permissions: [] };
  t.deepEqual(brokenPromises(contracts, nothing), [
    'operation things.get was removed',
    'event THING_CREATED was removed',
    'broadcast things.changed was removed',
    'fault not_found was removed',
    'NATS denies: gateway publishes things.get',
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

test('finds another scope, and accepts any scope in its place', (t) => {
  const withScope = (scope: string) => withOperation({ http: { ...operation.http, scope } });
  t.deepEqual(brokenPromises(contracts, withScope('api_user')), [
    'operation things.get: http.scope is not "user" any more',
  ]);
  t.deepEqual(brokenPromises(contracts, withScope('any')), []);
  t.deepEqual(brokenPromises(withScope('any'), contracts), [
    'operation things.get: http.scope is not "any" any more',
  ]);
});

test('finds a new field with a default, which a gateway of the former release does not send', (t) => {
  const grown = input.extend({ b: text.default('') });
  const after = withOperation({ input: schema(grown), parsedInput: schema(grown, 'output') });
  t.deepEqual(brokenPromises(contracts, after), ['operation things.get input /b: is required']);
});

test('finds a removed field that a service of the former release requires', (t) => {
  const looser = z.strictObject({ a: text.optional() });
  const after = withOperation({ input: schema(looser), parsedInput: schema(looser, 'output') });
  t.deepEqual(brokenPromises(contracts, after), [
    'operation things.get input /a: is required (to a service of the former release)',
  ]);
});
