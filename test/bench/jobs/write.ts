import { apiKeyOf, contactId, type WorkspaceGroup } from '../data/data-set.js';
import { requestText, type LoadRequest } from '../load/load.js';
import type { Job, JobInput } from './job.js';

export const create: Job = {
  title: 'Create a contact',
  byDefault: true,
  writes: true,
  requests: (input) => createContact(input.dataSet.written, input),
};

export const createWithWebhook: Job = {
  title: 'Create a contact that is delivered to a webhook',
  byDefault: true,
  writes: true,
  webhook: true,
  countsDeliveries: true,
  requests: (input) => createContact(input.dataSet.mixed, input),
};

export const createWithKey: Job = {
  title: 'Create a contact with an Idempotency-Key',
  writes: true,
  requests: (input) => createContact(input.dataSet.written, input, { hasKey: true }),
};

export const update: Job = {
  title: 'Update a contact',
  byDefault: true,
  writes: true,
  requests: (input) => updateContact(input.dataSet.written, input),
};

export const remove: Job = {
  title: 'Delete a contact',
  byDefault: true,
  writes: true,
  consumes: true,
  requests({ dataSet: { written }, sequence }) {
    const apiKey = apiKeyOf(written.first);
    let number = written.contacts + sequence;
    return () => {
      const path = `/v1/contacts/${contactId(written.first, number++)}`;
      return { text: requestText('DELETE', path, apiKey), status: 200 };
    };
  },
};

export function createContact(
  { first }: WorkspaceGroup,
  { sequence, random }: JobInput,
  { hasKey = false } = {},
): () => LoadRequest {
  const apiKey = apiKeyOf(first);
  let number = sequence;
  return () => {
    // Addresses in random order, as in production.
    const email = `${Math.floor(random() * 2 ** 32).toString(36)}.${number++}@example.org`;
    const body = `{"email":"${email}","name":"New Contact ${number}","tags":["customer","newsletter"],"properties":{"city":"London","plan":"professional"}}`;
    const key = hasKey ? `Idempotency-Key: ${email}\r\n` : '';
    return { text: requestText('POST', '/v1/contacts', apiKey, body, key), status: 201 };
  };
}

export function updateContact(
  { first, contacts }: WorkspaceGroup,
  { sequence, random }: JobInput,
): () => LoadRequest {
  const apiKey = apiKeyOf(first);
  let number = sequence;
  return () => {
    const path = `/v1/contacts/${contactId(first, Math.floor(random() * contacts))}`;
    const body = `{"name":"Renamed ${number++}","tags":["customer","vip"],"properties":{"city":"Rome"}}`;
    return { text: requestText('PUT', path, apiKey, body), status: 200 };
  };
}
