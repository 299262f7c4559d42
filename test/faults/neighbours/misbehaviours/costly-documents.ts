import { Client } from '../../../system/client.js';
import { createContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';

const clients = 8;

export const costlyDocuments: Misbehaviour = {
  name: 'the costliest GraphQL documents',
  async begin(offender) {
    await createContacts(offender, 200, {});
    const client = new Client(offender);
    const { fields } = await largestAccepted(client);
    return repeat(clients, () => client.post('/graphql', { query: documentOf(fields) }));
  },
};

const documentOf = (fields: number): string => {
  const page =
    '{ totalCount edges { cursor node { id email name tags properties { name value } } } }';
  const aliases = Array.from({ length: fields }, (_, n) => `c${n}: contacts(first: 100) ${page}`);
  return `{ ${aliases.join(' ')} }`;
};

/** The greatest number of lists in one document that is not refused. */
async function largestAccepted(client: Client): Promise<{ fields: number }> {
  for (let fields = 64; fields > 1; fields = Math.floor(fields / 2)) {
    const { body } = await client.post<{ errors?: unknown[] }>('/graphql', {
      query: documentOf(fields),
    });
    if (!body.errors) return { fields };
  }
  return { fields: 1 };
}
