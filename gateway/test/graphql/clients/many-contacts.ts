import { contactCursor, encodeId, Fault } from '@roster/contracts';
import { createdAt } from '../../stub-results.js';
import type { StubServices } from '../../stub-services.js';

interface PageInput {
  limit: number;
  after?: string;
  before?: string;
  fromEnd: boolean;
  counted: boolean;
}

/** Makes the stub of the contacts service return pages of `count` contacts, as the service does. */
export function stubManyContacts({ answer }: StubServices, count: number): void {
  const contacts = Array.from({ length: count }, (_, index) => ({
    id: encodeId('contact', `01935a2e-7b00-7c3d-9f10-${index.toString(16).padStart(12, '0')}`),
    email: `c${index}@example.com`,
    name: `Contact ${index}`,
    createdAt,
    tags: [],
    properties: {},
    status: 'subscribed',
  }));
  const cursors = contacts.map(({ id }) => contactCursor.of(id));
  answer('contacts.page', ({ input }) => {
    const { limit, after, before, fromEnd, counted } = input as PageInput;
    const from = after === undefined ? 0 : cursors.indexOf(after) + 1;
    const to = before === undefined ? count : cursors.indexOf(before);
    if ((after !== undefined && from === 0) || to < 0) return new Fault('invalid', 'No cursor.');
    const start = fromEnd ? Math.max(from, to - limit) : from;
    const end = fromEnd ? to : Math.min(to, from + limit);
    return {
      contacts: contacts.slice(start, end),
      hasNext: end < count,
      hasPrevious: start > 0,
      total: counted ? count : null,
    };
  });
}
