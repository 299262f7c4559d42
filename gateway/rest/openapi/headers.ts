import type { RestOperation } from '../rest-operations.js';
import { resultTagOf } from '../result-tag.js';

const entityTag = '(W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/** What `readIfMatch` and `readIfNoneMatch` accept. */
const entityTags = {
  type: 'string',
  pattern: `^(\\*|${entityTag}([ \\t]*,[ \\t]*${entityTag}){0,15})$`,
};

/** Components of the request headers of conditions (RFC 9110, 13.1). */
export const conditionParameters = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'Entity tags, of which one must be that of the resource, as returned in `ETag`. Otherwise the request is answered 412 `precondition_failed`, with the `ETag` of the resource. Operations without this parameter reject the header (`invalid`).',
    schema: entityTags,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'Entity tags of earlier responses. If one is that of the resource, the response is 304 without a body. Operations that write reject the header (`invalid`).',
    schema: entityTags,
  },
};

/** Component of the response header. */
export const entityTagHeader = {
  ETag: {
    description: 'Entity tag of the resource, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string' },
    example: '"x4nZoYJ3M0Xw7yH6bV2c1Q"',
  },
};

const parameter = (name: keyof typeof conditionParameters) => ({
  $ref: `#/components/parameters/${name}`,
});

/** Parameters of an operation whose requests can have a condition. */
export function conditionsOf({ http, faults }: RestOperation): object[] {
  if (http.etag) return [parameter('IfNoneMatch')];
  return faults.includes('precondition_failed') ? [parameter('IfMatch')] : [];
}

/** Headers of the response of an operation that returns a resource with an ETag. */
export const entityTagOf = (operation: RestOperation): object =>
  resultTagOf(operation) ? { ETag: { $ref: '#/components/headers/ETag' } } : {};

/** Response to a request whose client has the current version of the resource. */
export const notModified = (operation: RestOperation): object =>
  operation.http.etag
    ? {
        304: {
          description: 'Not modified',
          headers: {
            'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
            ...entityTagOf(operation),
          },
        },
      }
    : {};

/** Components of the headers that state the rate limits. */
export const rateHeaderComponents = {
  'RateLimit-Policy': {
    description:
      'Rate limits of the key and of its workspace: requests (`q`) per seconds (`w`). Absent without limits.',
    schema: { type: 'string' },
    example: '"key";q=30000;w=1, "workspace";q=60000;w=1',
  },
  RateLimit: {
    description: 'Requests left (`r`), and seconds until there are more (`t`), for each limit.',
    schema: { type: 'string' },
    example: '"key";r=29999;t=1, "workspace";r=59990;t=1',
  },
};

/** Headers of responses to requests that were counted. */
export const rateHeaders = Object.fromEntries(
  Object.keys(rateHeaderComponents).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
