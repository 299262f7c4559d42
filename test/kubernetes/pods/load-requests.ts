import { randomUUID } from 'node:crypto';

/** A request, identical in every attempt: a write has one Idempotency-Key. */
export interface Prepared {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  expected: string;
}

const json = (body: object) => {
  const text = JSON.stringify(body);
  return {
    body: text,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    },
  };
};

function write(method: string, path: string, body: object, expected: string): Prepared {
  const { headers, ...rest } = json(body);
  return {
    method,
    path,
    expected,
    ...rest,
    headers: { ...headers, 'idempotency-key': randomUUID() },
  };
}

export const create = (email: string) => write('POST', '/v1/contacts', { email }, '201');
export const update = (id: string, name: string) =>
  write('PUT', `/v1/contacts/${id}`, { name }, '200');

const read = (path: string): Prepared => ({ method: 'GET', path, headers: {}, expected: '200' });

export const reads = {
  get: (id: string) => read(`/v1/contacts/${id}`),
  webhooks: () => read('/v1/webhooks'),
  me: () => read('/v1/users/me'),
  graphql: (id: string): Prepared => ({
    method: 'POST',
    path: '/graphql',
    expected: '200',
    ...json({ query: `{ contact(id: "${id}") { id email name } }` }),
  }),
};
