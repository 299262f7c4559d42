import { apiKeyOf, contactId, type WorkspaceGroup } from '../data/data-set.js';
import { requestText, type LoadRequest } from '../load/load.js';
import type { Job } from './job.js';

export const get: Job = {
  title: 'Get a contact, each as often as any other',
  byDefault: true,
  requests: ({ dataSet: { large }, random }) =>
    getContact(large, () => Math.floor(random() * large.contacts)),
};

export const getZipf: Job = {
  title: 'Get a contact, some far more often than others (Zipf)',
  requests: ({ dataSet: { large }, random }) => getContact(large, zipf(large.contacts, random)),
};

export const getWorkspaces: Job = {
  title: 'Get a contact, in 1,000 workspaces with a key each',
  requests({ dataSet: { many }, random }) {
    const keys = Array.from({ length: many.count }, (_, n) => apiKeyOf(many.first + n));
    return () => {
      const n = Math.floor(random() * many.count);
      const id = contactId(many.first + n, Math.floor(random() * many.contacts));
      return { text: requestText('GET', `/v1/contacts/${id}`, keys[n]!), status: 200 };
    };
  },
};

export function getContact({ first }: WorkspaceGroup, number: () => number): () => LoadRequest {
  const apiKey = apiKeyOf(first);
  return () => ({
    text: requestText('GET', `/v1/contacts/${contactId(first, number())}`, apiKey),
    status: 200,
  });
}

/** Rank k with a probability proportional to 1/k, by inverting the integral, which is sufficiently accurate. */
function zipf(count: number, random: () => number): () => number {
  const scale = Math.log(count + 1);
  return () => {
    const rank = Math.min(count - 1, Math.floor(Math.exp(random() * scale)) - 1);
    // Distributed over the table, so that the most requested contacts are not the oldest.
    return (rank * 7_919) % count;
  };
}
