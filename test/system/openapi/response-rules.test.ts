import test from 'ava';
import { ResponseMismatch, ResponseRules, type ReceivedResponse } from './response-rules.js';

const problem = {
  type: 'object',
  properties: { code: { type: 'string' } },
  required: ['code'],
};
const rules = new ResponseRules({
  paths: {
    '/v1/things/{thingId}': {
      get: {
        operationId: 'things.get',
        responses: {
          200: {
            headers: {
              'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
              Age: { schema: { type: 'integer' } },
            },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          304: {},
          404: { $ref: '#/components/responses/NotFound' },
        },
      } as object,
    },
  },
  components: {
    headers: { 'X-Request-Id': { required: true, schema: { type: 'string' } } },
    responses: {
      NotFound: {
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    },
    schemas: {
      Problem: problem,
      Thing: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          secret: { type: 'string', pattern: '^rsk_' },
          createdAt: { type: 'string', format: 'date-time' },
        },
        required: ['id'],
      },
    },
  },
});

const sent = { method: 'GET', path: '/v1/things/thing_1' };
const headers = (more: Record<string, string> = {}) =>
  new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': '1', ...more });
const valid: ReceivedResponse = { ...sent, status: 200, headers: headers(), body: { id: '1' } };
const notFound = new Headers({ 'content-type': 'application/problem+json' });

const accepts = (title: string, change: Partial<ReceivedResponse>) =>
  test(`accepts ${title}`, (t) => t.notThrows(() => rules.check({ ...valid, ...change })));

accepts('a response that conforms', {});
accepts('a header and a field that are not declared', {
  headers: headers({ 'x-other': '1' }),
  body: { id: '1', other: 1 },
});
accepts('a number in a header', { headers: headers({ age: '17' }) });
accepts('a status without a body', { status: 304, headers: new Headers(), body: '' });
accepts('a problem of a shared response', { status: 404, headers: notFound, body: { code: 'x' } });
accepts('404 where the document has no path', {
  ...{ path: '/v1/none', status: 404, headers: notFound },
  body: { code: 'x' },
});
accepts('405 where a path lacks the method', {
  ...{ method: 'POST', status: 405, headers: notFound },
  body: { code: 'x' },
});

const reports = (title: string, change: Partial<ReceivedResponse>, message: string) =>
  test(`reports ${title}`, (t) => {
    const error = t.throws(() => rules.check({ ...valid, ...change }), {
      instanceOf: ResponseMismatch,
    });
    t.is(error?.message, message);
  });

reports(
  'a missing field',
  { body: {} },
  "things.get answered 200: body must have required property 'id'",
);
reports(
  'every field of another type or format, without its value',
  { body: { id: '1', secret: 'hunter2', createdAt: 'today' } },
  'things.get answered 200: body at /secret must match pattern "^rsk_"; body at /createdAt must match format "date-time"',
);
reports(
  'an undeclared status',
  { status: 201 },
  'things.get answered 201: expected one of the statuses 200, 304, 404',
);
reports(
  'another media type',
  { headers: headers({ 'content-type': 'text/html' }) },
  'things.get answered 200: expected the media type application/json, not text/html',
);
reports(
  'a missing media type',
  { headers: new Headers({ 'x-request-id': '1' }) },
  'things.get answered 200: expected the media type application/json, not none',
);
reports(
  'a missing header',
  { headers: new Headers({ 'content-type': 'application/json' }) },
  'things.get answered 200: expected the header X-Request-Id',
);
reports(
  'a header of another type',
  { headers: headers({ age: 'old' }) },
  'things.get answered 200: header Age must be integer',
);
reports(
  'a body where none is declared',
  { status: 304, body: { id: '1' } },
  'things.get answered 304: expected no body',
);
reports(
  'a response of an operation that the document lacks',
  { method: 'POST' },
  'POST /v1/things/thing_1 answered 200: expected 405, since the document has no such operation',
);
