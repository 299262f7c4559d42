import { randomUUID } from 'node:crypto';
import { Client, inParallel } from '../../system/client.js';
import type { Offender } from './misbehaviour.js';

export interface CreatedContact {
  id: string;
  emailName: string;
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
