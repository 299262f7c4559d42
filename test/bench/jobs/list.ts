import { apiKeyOf, contactId, type WorkspaceGroup } from '../data/data-set.js';
import { requestText, type LoadRequest } from '../load/load.js';
import type { Job } from './job.js';

const first50 = 'limit=50';

export const list: Job = {
  title: 'List the first 50 of all contacts, with their number',
  byDefault: true,
  requests: ({ dataSet: { large } }) => listContacts(large, () => first50),
};

export const listSmall: Job = {
  title: 'List the first 50 of 1,000 contacts, with their number',
  byDefault: true,
  requests: ({ dataSet: { small } }) => listContacts(small, () => first50),
};

export const listOffset: Job = {
  title: 'List 50 contacts after nine tenths of them, by offset',
  requests: ({ dataSet: { large } }) =>
    listContacts(large, () => `limit=50&offset=${Math.floor(large.contacts * 0.9)}`),
};

export const listCursor: Job = {
  title: 'List 50 contacts anywhere, by cursor',
  requests({ dataSet: { large }, random }) {
    const after = () => contactId(large.first, Math.floor(random() * large.contacts)).slice(5);
    return listContacts(large, () => `limit=50&after=${after()}`);
  },
};

export function listContacts({ first }: WorkspaceGroup, query: () => string): () => LoadRequest {
  const apiKey = apiKeyOf(first);
  return () => ({ text: requestText('GET', `/v1/contacts?${query()}`, apiKey), status: 200 });
}
