import fc from 'fast-check';
import type { z } from 'zod';
import { jsonLimits } from '../../../http/body/check-json-size.js';
import { fieldsOf, type RestOperation } from '../../../rest/rest-operations.js';
import { hostileText } from './hostile-text.js';

/** JSON values with hostile strings and keys. */
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(hostileText, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(hostileText, tie('value'), { maxKeys: 5 }),
  ),
}));

/** Values that are invalid for almost every field of every operation. */
const wrongValues = fc.oneof(
  fc.integer({ max: -1 }),
  fc.boolean(),
  fc.constantFrom(
    { __proto__: null, nested: { deeper: [] } },
    [[[]]],
    [{}],
    'a\0b',
    'x\udfff',
    '\ud800',
    ['\0'],
    [''],
    { '': 'x' },
  ),
  fc.constant('é'.repeat(20_000)),
);

/**
 * Bodies that an operation must reject, with the expected code: malformed JSON, not an object, nested too deeply, too large,
 * wrong types, unknown fields.
 */
export function hostileBody(
  operation: RestOperation,
): fc.Arbitrary<{ body: string | Uint8Array; codes: string[] }> {
  const { shape } = operation.input;
  const { body: fields } = fieldsOf(operation);
  const rejectedWith =
    (...codes: string[]) =>
    (body: string | Uint8Array) => ({ body, codes });
  const unknownFields = fc
    .dictionary(hostileText, jsonValue, { minKeys: 1, maxKeys: 5 })
    .filter((object) => Object.keys(object).some((key) => !fields.includes(key)))
    .map((object) => JSON.stringify(object));
  const bodies: fc.Arbitrary<{ body: string | Uint8Array; codes: string[] }>[] = [
    fc
      .constantFrom(
        '{',
        '}',
        '{"a":}',
        "{'a':1}",
        '{"a":1,}',
        'undefined',
        'NaN',
        '{"a":"\n"}',
        '\ufeff\ufeff{}',
      )
      .map(rejectedWith('invalid_json')),
    jsonValue
      .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value))
      .map((value) => JSON.stringify(value))
      .map(rejectedWith('invalid_json')),
    fc
      .uint8Array({ minLength: 1, maxLength: 50 })
      .filter(isInvalidJson)
      .map(rejectedWith('invalid_json')),
    fc
      .integer({ min: 16, max: 30_000 })
      .map((depth) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      .map(rejectedWith('invalid_json')),
    fc
      .constantFrom(' '.repeat(2 * 1024 * 1024), `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`)
      .map(rejectedWith('payload_too_large')),
    unknownFields.map(rejectedWith('invalid')),
  ];
  if (fields.length > 0) {
    const wrongTypes = fc
      .tuple(fc.constantFrom(...fields), wrongValues)
      .filter(([field, value]) => !(shape[field] as z.ZodType).safeParse(value).success)
      .map(([field, value]) => JSON.stringify({ [field]: value }));
    bodies.push(wrongTypes.map(rejectedWith('invalid')));
  }
  return fc
    .oneof(...bodies)
    .map((one) =>
      isTooLarge(operation, one.body) ? { ...one, codes: ['payload_too_large'] } : one,
    );
}

/** The size is checked before anything else. */
export const isTooLarge = ({ bulk }: RestOperation, body: string | Uint8Array): boolean =>
  Buffer.byteLength(body) > (bulk ? jsonLimits.bulk : jsonLimits.ordinary).bytesMax;

/** Objects with the fields of an operation and arbitrary values, few of which are valid. */
export const anyBody = (fields: readonly string[]): fc.Arbitrary<string> =>
  fc
    .dictionary(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fields) }, hostileText),
      fc.oneof(jsonValue, plausible),
      { maxKeys: 5 },
    )
    .map((object) => JSON.stringify(object));

const plausible = fc.constantFrom<unknown>(
  'ada@example.com',
  'ada@exämple.test',
  'a@b',
  'https://example.com/',
  'http://[::1]:1/',
  'ftp://x',
  ['CONTACT_CREATED'],
  ['x', 'x'],
  { city: 'x' },
  { city: null },
  'string',
  'city',
);

function isInvalidJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return false;
  } catch {
    return true;
  }
}
