import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';
import { requester } from '../requester.js';

const clients = 8;
const namesEach = 100;

export const propertyNames: Misbehaviour = {
  name: 'new property names in every contact',
  begin(offender) {
    const send = requester(offender);
    const run = Date.now().toString(36);
    const end = repeat(clients, async (n) => {
      const names = Array.from({ length: namesEach }, (_, at) => [`p_${run}_${n}_${at}`, 'x']);
      await send('POST', '/v1/contacts', {
        email: `names.${run}.${n}@example.net`,
        properties: Object.fromEntries(names) as Record<string, string>,
      });
      await send('GET', '/v1/contact-properties');
    });
    return Promise.resolve(end);
  },
};
