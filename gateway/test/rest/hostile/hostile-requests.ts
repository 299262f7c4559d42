import fc from 'fast-check';
import { hostileText } from './hostile-text.js';

/** Query strings that no operation accepts. */
export const hostileQuery: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('limit', 'offset'),
      hostileText.filter((value) => !/^-?[0-9]+$/.test(value)),
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
    `after=${'x'.repeat(1001)}`,
  ),
  fc
    .tuple(hostileText, hostileText)
    .filter(([name]) => !['limit', 'offset', 'after'].includes(name))
    .map(([name, value]) => `${encoded(name)}=${encoded(value.slice(0, 500))}`),
  fc.constantFrom('%=%', '%zz=%c3', '=', '=x', '__proto__=x', 'limit[]=1', '%00=%00'),
);

/** Path segments that are not valid IDs. */
export const hostileId: fc.Arbitrary<string> = fc.oneof(
  hostileText
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

/** Authorization headers without a valid key. */
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

/** Paths without a route. */
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

function encoded(value: string): string {
  return encodeURIComponent(value.slice(0, 1000).toWellFormed());
}
