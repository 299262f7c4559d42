import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';
import { requester } from '../requester.js';

const clients = 8;
/** Nearly as many of these fields as the tokens of a document allow. */
const aliases = 140;

/** Documents that were never sent before are parsed and validated. */
export const newDocuments: Misbehaviour = {
  name: 'new GraphQL documents of nearly the maximum size',
  begin(offender) {
    const send = requester(offender);
    return Promise.resolve(
      repeat(clients, async (n) => {
        const fields = Array.from(
          { length: aliases },
          (_, at) => `w${n}_${at}: webhooks(first: 1) { id url events createdAt status }`,
        );
        await send('POST', '/graphql', { query: `{ ${fields.join(' ')} }` });
      }),
    );
  },
};
