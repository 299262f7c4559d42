import { createLargeContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';
import { requester } from '../requester.js';

const clients = 16;

export const largeContacts: Misbehaviour = {
  name: 'lists of 100 contacts of 9 KiB',
  async begin(offender) {
    const path = await createLargeContacts(offender);
    const send = requester(offender);
    return repeat(clients, () => send('GET', path));
  },
};
