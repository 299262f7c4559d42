import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';
import { requester } from '../requester.js';

const clients = 8;
/** As many as a batch may have. */
const contactsEach = 1000;

export const batches: Misbehaviour = {
  name: `batches of ${contactsEach} new contacts`,
  begin(offender) {
    const send = requester(offender);
    const run = Date.now().toString(36);
    return Promise.resolve(
      repeat(clients, (n) => {
        const operations = Array.from({ length: contactsEach }, (_, at) => ({
          action: 'create',
          email: `batch.${run}.${n}.${at}@example.net`,
          name: 'Ada Lovelace',
          tags: ['customer'],
          properties: { city: 'London', plan: 'pro' },
        }));
        return send('POST', '/v1/contacts/batch', { operations });
      }),
    );
  },
};
