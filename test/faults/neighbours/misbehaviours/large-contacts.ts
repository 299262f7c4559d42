import { createContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';

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
    const headers = { authorization: `Bearer ${offender.apiKey}` };
    // Without parsing: the client shares the machine with the system.
    return repeat(clients, async () => {
      const response = await fetch(`${offender.baseUrl}/v1/contacts?limit=${contacts}`, {
        headers,
      });
      await response.bytes();
    });
  },
};
