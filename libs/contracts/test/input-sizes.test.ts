import test from 'ava';
import { z } from 'zod';
import { operations, type Operation } from '../index.js';

/** A schema within the input of an operation, with its path. */
type Found<Schema = z.ZodType> = [path: string, schema: Schema];

function innerOf(schema: z.ZodType): [string, unknown][] {
  if (schema instanceof z.ZodObject) {
    const { shape, catchall } = schema.def as { shape: object; catchall?: unknown };
    const fields = Object.entries(shape).map(([name, field]): Found => [`/${name}`, field]);
    return catchall === undefined ? fields : [...fields, ['/*', catchall]];
  }
  if (schema instanceof z.ZodArray) return [['/*', schema.element]];
  if (schema instanceof z.ZodRecord)
    return [
      ['/* (name)', schema.keyType],
      ['/*', schema.valueType],
    ];
  if (schema instanceof z.ZodUnion) return schema.options.map((one) => ['', one]);
  if (schema instanceof z.ZodPipe)
    // A value of any kind, of which the entries are counted, is then parsed.
    return [schema.in, schema.out]
      .filter((part) => !(part instanceof z.ZodUnknown))
      .map((part) => ['', part]);
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault;
  return isWrapper ? [['', schema.unwrap()]] : [];
}

const schemasIn = (path: string, schema: z.ZodType): Found[] => [
  [path, schema],
  ...innerOf(schema).flatMap(([name, inner]) => schemasIn(path + name, inner as z.ZodType)),
];

const found = (Object.values(operations) as Operation[]).flatMap(({ name, input }) =>
  schemasIn(name, input),
);
const pathsOf = (all: readonly Found[]): string[] => all.map(([path]) => path);
const ofType = (type: string) => found.filter(([, { def }]) => def.type === type);
const jsonOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

test('every schema of an input is of a kind whose size these tests check, or has none', (t) => {
  const checked = ['array', 'record', 'string', 'template_literal', 'unknown'];
  const containers = ['default', 'nullable', 'object', 'optional', 'pipe', 'union'];
  const sizeless = ['boolean', 'enum', 'literal', 'never', 'number', 'transform'];
  const kinds = new Set([...checked, ...containers, ...sizeless]);
  t.deepEqual(pathsOf(found.filter(([, { def }]) => !kinds.has(def.type))), []);
  t.true(found.length > 300);
});

test('every array of an input has a maximum, which is checked before its elements', (t) => {
  const wrong = ofType('array').filter(([, schema]) => {
    const { maxItems = 0 } = jsonOf(schema);
    const elements = Array.from({ length: maxItems + 1 }, () => Symbol('element'));
    return schema.safeParse(elements).error?.issues.length !== 1;
  });
  t.deepEqual(pathsOf(wrong), []);
});

test('every object of an input with arbitrary names has a maximum, which is checked before its entries', (t) => {
  const hasNames = (schema: z.ZodType): boolean =>
    schema instanceof z.ZodRecord ||
    (schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodUnknown);
  const named = found.filter(([, schema]) => hasNames(schema));
  const bounded = found.filter(([, schema]) => {
    if (!(schema instanceof z.ZodPipe) || !hasNames(schema.out as z.ZodType)) return false;
    const { maxProperties = 0 } = jsonOf(schema);
    const entries = Array.from({ length: maxProperties + 1 }, (_, n) => [`p${n}`, Symbol('value')]);
    return schema.safeParse(Object.fromEntries(entries)).error?.issues.length === 1;
  });
  t.true(named.length > 0);
  t.deepEqual(pathsOf(bounded), pathsOf(named));
});

test('every string of an input has a maximum length', (t) => {
  const texts = [...ofType('string'), ...ofType('template_literal')];
  const unbounded = texts.filter(([, schema]) => {
    const { maxLength, pattern = '.*' } = jsonOf(schema);
    const quantifiers = pattern.replaceAll(/\\.|\[.*?\]/g, '.');
    return maxLength === undefined && /[*+]|,\}/.test(quantifiers);
  });
  t.deepEqual(pathsOf(unbounded), []);
});

test('only contacts that the service parses one by one have values of any kind, whose number is limited before they are parsed', (t) => {
  t.deepEqual(
    new Set(pathsOf(ofType('unknown'))),
    new Set([
      'contacts.batch/operations/*/*',
      'imports.preview/rows/*/contact/*',
      'imports.append/rows/*/contact/*',
    ]),
  );
});
