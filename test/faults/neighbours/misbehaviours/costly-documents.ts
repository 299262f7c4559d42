import { Client } from '../../../system/client.js';
import { createContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';
import { requester } from '../requester.js';

const clients = 8;

export const costlyDocuments: Misbehaviour = {
  name: 'the costliest GraphQL documents',
  async begin(offender) {
    await createContacts(offender, 200, {});
    const query = documentOf(await largestAccepted(new Client(offender)));
    const send = requester(offender);
    return repeat(clients, () => send('POST', '/graphql', { query }));
  },
};

const documentOf = (fields: number): string => {
  const page = '{ totalCount edges { cursor node { id email name tags properties } } }';
  const aliases = Array.from({ length: fields }, (_, n) => `c${n}: contacts(first: 100) ${page}`);
  return `{ ${aliases.join(' ')} }`;
};

/** The greatest number of lists in one document that is not refused. */
async function largestAccepted(client: Client): Promise<number> {
  for (let fields = 64; fields > 0; fields -= 1) {
    const { body } = await client.post<{ errors?: unknown[] }>('/graphql', {
      query: documentOf(fields),
    });
    if (!body.errors) return fields;
  }
  throw new Error('the document is refused even with a single list');
}
