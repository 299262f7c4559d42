import pg from 'pg';
import { Client } from '../../../system/client.js';
import { createContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';

const clients = 10;

export const heldRowLock: Misbehaviour = {
  name: 'a held row lock',
  async begin(offender) {
    const [id] = await createContacts(offender, 1, {});
    const holder = new pg.Client({ connectionString: offender.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from contacts.contacts where email_key = $1 for update', [
      `${id!.emailName}@example.net`,
    ]);
    const client = new Client(offender);
    const end = repeat(clients, (n) =>
      client.send('PUT', `/v1/contacts/${id!.id}`, { name: `Locked ${n}` }),
    );
    return async () => {
      await holder.query('rollback');
      await holder.end();
      await end();
    };
  },
};
