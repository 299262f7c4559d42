import fc from 'fast-check';

/** What people and programs send that they should not: generators for tests over HTTP. */

/** JSON values, with texts that break things: NUL, lone surrogates, prototypes, right-to-left marks, very long ones. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfff',
    '\u202e',
    '__proto__',
    'constructor',
    "'; drop table contacts; --",
    '%00',
    '../../etc',
  ),
  fc.integer({ min: 100, max: 20_000 }).map((length) => 'é'.repeat(length)),
);
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  ),
}));

/** A value that is wrong for every field of every operation: no field takes any of these. */
const wrongForAll = fc.oneof(
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
 * Bodies an operation must refuse, with the codes that say why: no JSON, no object, too deep, too large, wrong types,
 * unknown fields.
 *
 * @param fields of the operation
 */
export function hostileBody(
  fields: readonly string[],
): fc.Arbitrary<{ body: string | Uint8Array; codes: string[] }> {
  const refusedAs =
    (...codes: string[]) =>
    (body: string | Uint8Array) => ({ body, codes });
  const unknownFields = fc
    .dictionary(text, jsonValue, { minKeys: 1, maxKeys: 5 })
    .filter((object) => Object.keys(object).some((key) => !fields.includes(key)))
    .map((object) => JSON.stringify(object));
  const all: fc.Arbitrary<{ body: string | Uint8Array; codes: string[] }>[] = [
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
        '\ufeff{}',
      )
      .map(refusedAs('invalid_json')),
    jsonValue
      .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value))
      .map((value) => JSON.stringify(value))
      .map(refusedAs('invalid_json')),
    fc.uint8Array({ minLength: 1, maxLength: 50 }).filter(isNoJson).map(refusedAs('invalid_json')),
    fc
      .integer({ min: 40, max: 100_000 })
      .map((depth) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      .map(refusedAs('invalid_json')),
    fc
      .constantFrom(' '.repeat(2 * 1024 * 1024), `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`)
      .map(refusedAs('payload_too_large')),
    unknownFields.map(refusedAs('invalid')),
  ];
  if (fields.length > 0) {
    const wrongTypes = fc
      .tuple(fc.constantFrom(...fields), wrongForAll)
      .map(([field, value]) => JSON.stringify({ [field]: value }));
    all.push(wrongTypes.map(refusedAs('invalid')));
  }
  return fc.oneof(...all);
}

/** Objects with an operation's own fields and any values: some are right, most are not. */
export const anyBody = (fields: readonly string[]): fc.Arbitrary<string> =>
  fc
    .dictionary(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fields) }, text),
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

function isNoJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return false;
  } catch {
    return true;
  }
}

/** Query strings that no operation takes. */
export const hostileQuery: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('limit', 'offset'),
      text.filter((value) => !/^-?[0-9]+$/.test(value)),
    )
    .map(([name, value]) => `${name}=${encoded(value)}`),
  fc.constantFrom(
    'limit=0',
    'limit=-1',
    'offset=-1',
    'limit=1e2',
    'limit=1.0',
    'limit=0x1',
    'limit=1&limit=1',
    'limit',
    'limit=',
    'offset=%2B1',
    `after=${'x'.repeat(65)}`,
  ),
  fc
    .tuple(text, text)
    .filter(([name]) => !['limit', 'offset', 'after'].includes(name))
    .map(([name, value]) => `${encoded(name)}=${encoded(value.slice(0, 500))}`),
  fc.constantFrom('%=%', '%zz=%c3', '=', '=x', '__proto__=x', 'limit[]=1', '%00=%00'),
);

const encoded = (value: string) => encodeURIComponent(value.slice(0, 1000).toWellFormed());

/** Path segments that are no id of anything. */
export const hostileId: fc.Arbitrary<string> = fc.oneof(
  text
    .map((value) => encoded(value.slice(0, 500)))
    .filter((value) => value !== '' && value !== '.' && value !== '..'),
  fc.constantFrom(
    '%',
    '%zz',
    '%c3%28',
    '%00',
    '%2e%2e%2fusers',
    'cont_',
    'cont_zzzzzzzzzzzzzzzzzzzzzzzzzz',
    'null',
    '-1',
    '*',
    ';',
    '~',
  ),
);

export const hostileMediaType: fc.Arbitrary<string> = fc.constantFrom(
  '',
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json5',
  'json',
  'application/json; q=',
  '*/*',
  'application/vnd.api+json',
);

/** Authorization headers that prove nothing. */
export const hostileAuthorization: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'bearer null',
    'Basic dXNlcjpwYXNz',
    'Bearer rsk_',
    'rsk_000000000000000000000000000000000000',
    'Bearer Bearer',
    'Negotiate x',
    ',',
  ),
  fc
    .string({ minLength: 0, maxLength: 200 })
    .map((value) => `Bearer ${value}`)
    .filter(isHeaderValue),
  fc.stringMatching(/^[0-9A-Za-z]{36}$/).map((random) => `Bearer rsk_${random}`),
  fc.integer({ min: 1000, max: 8000 }).map((length) => `Bearer ${'x'.repeat(length)}`),
);

function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value);
}

export const hostileMethod: fc.Arbitrary<string> = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'PROPFIND',
  'PURGE',
  'LOCK',
  'QUERY',
  'M-SEARCH',
);

/** Paths that lead nowhere. */
export const hostilePath: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'v1',
        'V1',
        'v2',
        'graphql',
        '%',
        '%00',
        'contact',
        '__proto__',
        '',
        ';',
        '*',
        '~',
      ),
      hostileId,
    ),
    { maxLength: 6 },
  )
  .map((parts) => `/x/${parts.join('/')}`);
