import { randomUUID } from 'node:crypto';
import { Client, inParallel } from '../../system/client.js';
import type { Offender } from './misbehaviour.js';

export interface CreatedContact {
  id: string;
  emailName: string;
}

const largeContacts = 100;

/** Creates the largest contacts. Returns the path of the list of them, with nearly 1 MB. */
export async function createLargeContacts(offender: Offender): Promise<string> {
  const value = 'x'.repeat(1000);
  const properties = Array.from({ length: 9 }, (_, n) => [`large_${n}`, value] as const);
  await createContacts(offender, largeContacts, Object.fromEntries(properties));
  // Lists begin with the oldest contacts, and the workspace of the bench has others.
  const { body } = await new Client(offender).get<{ pagination: { total: number } }>(
    '/v1/contacts?limit=1',
  );
  return `/v1/contacts?limit=${largeContacts}&offset=${body.pagination.total - largeContacts}`;
}

/** Creates contacts with new email addresses at example.net. */
export function createContacts(
  offender: Offender,
  count: number,
  properties: Record<string, string>,
): Promise<CreatedContact[]> {
  const client = new Client(offender);
  const names = Array.from({ length: count }, () => randomUUID());
  return inParallel(names, 16, async (emailName) => {
    const { status, body } = await client.post<{ contact: { id: string } }>('/v1/contacts', {
      email: `${emailName}@example.net`,
      properties,
    });
    if (status !== 201) throw new Error(`creating a contact was answered ${status}`);
    return { id: body.contact.id, emailName };
  });
}
