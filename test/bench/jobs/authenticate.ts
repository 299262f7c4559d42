import { apiKeyOf } from '../data/data-set.js';
import { requestText } from '../load/load.js';
import type { Job } from './job.js';

/** The whole path of a request except its operation: a valid key from the cache, and an unknown contact. */
export const authenticate: Job = {
  title: 'Authentication alone: a known key, and an id that no contact can have (404)',
  requests({ dataSet: { large } }) {
    const text = requestText('GET', '/v1/contacts/none', apiKeyOf(large.first));
    return () => ({ text, status: 404 });
  },
};

export const me: Job = {
  title: 'The user of a key, who is marked as seen (GET /v1/users/me), in 1,000 workspaces',
  writes: true,
  requests({ dataSet: { many }, random }) {
    const texts = Array.from({ length: many.count }, (_, n) =>
      requestText('GET', '/v1/users/me', apiKeyOf(many.first + n)),
    );
    return () => ({ text: texts[Math.floor(random() * texts.length)]!, status: 200 });
  },
};
