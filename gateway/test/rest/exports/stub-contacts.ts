import type { StubServices } from '../../stub-services.js';
import { createdAt, contactId } from '../../stub-results.js';
import type { ExportedContact } from '../../../rest/exports/csv.js';

export const contactOf = (fields: Partial<ExportedContact> = {}): ExportedContact => ({
  id: contactId,
  email: 'ada@example.com',
  name: 'Ada',
  status: 'subscribed',
  tags: [],
  properties: {},
  createdAt,
  updatedAt: '2026-01-31T09:00:00.000000Z',
  version: 1,
  externalId: null,
  ...fields,
});

/** Makes the stub of the contacts service return pages of these contacts. */
export function stubContacts({ answer }: StubServices, contacts: readonly ExportedContact[]): void {
  answer('contacts.find', ({ input }) => {
    const { limit, after = '0' } = input as { limit: number; after?: string };
    const end = Number(after) + limit;
    const next = end < contacts.length ? String(end) : null;
    const pagination = { total: null, limit, offset: 0, next };
    return { contacts: contacts.slice(Number(after), end), pagination };
  });
}
