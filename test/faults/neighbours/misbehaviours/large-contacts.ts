import { Client } from '../../../system/client.js';
import { createContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';
import { requester } from '../requester.js';

const contacts = 100;
const clients = 16;

export const largeContacts: Misbehaviour = {
  name: 'lists of 100 contacts of 60 KiB',
  async begin(offender) {
    const value = 'x'.repeat(1000);
    const properties = Array.from({ length: 60 }, (_, n) => [`large_${n}`, value]);
    await createContacts(
      offender,
      contacts,
      Object.fromEntries(properties) as Record<string, string>,
    );
    // Lists begin with the oldest contacts, and the workspace of the bench has others.
    const { body } = await new Client(offender).get<{ pagination: { total: number } }>(
      '/v1/contacts?limit=1',
    );
    const offset = body.pagination.total - contacts;
    const send = requester(offender);
    return repeat(clients, () => send('GET', `/v1/contacts?limit=${contacts}&offset=${offset}`));
  },
};
