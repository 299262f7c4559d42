import { encodeId, type EventBody, type EventDetails, type EventKind } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import { withDetails } from '../delivery/full-body.js';

/** The body of a sample event for each payload of webhooks. `full` is undefined if it is the same. */
export function sampleEvent(
  kind: EventKind,
  workspaceId: string,
  now: Date,
  ids: IdClock,
): { compact: EventBody; full?: object } {
  const person = { email: 'ada@example.com', name: 'Ada Lovelace' };
  const created_at = now.toISOString();
  if (kind === 'WORKSPACE_TEAM_MEMBER_JOINED') {
    const user = { id: encodeId('user', ids.next()), ...person };
    const data = { workspace: { id: workspaceId, name: 'Sample' }, user };
    return { compact: { event: kind, created_at, data } };
  }
  if (kind === 'IMPORT_ENDED') {
    const data = { import: sampleImport(encodeId('import', ids.next()), created_at) };
    return { compact: { event: kind, created_at, data } };
  }
  const contact = { id: encodeId('contact', ids.next()), ...person, createdAt: created_at };
  const compact = { event: kind, created_at, data: { contact } };
  return { compact, full: withDetails(compact, detailsOf(kind)) };
}

const sampleImport = (id: string, at: string): EventBody<'IMPORT_ENDED'>['data']['import'] => ({
  ...{ id, status: 'completed', format: 'csv', mode: 'upsert', events: 'summary', dryRun: false },
  ...{ total: 3, done: 3, created: 1, updated: 1, skipped: 0, failed: 1, reason: null },
  ...{ createdAt: at, endedAt: at },
});

const detailsOf = (kind: EventKind): EventDetails => ({
  contact: {
    tags: ['customer'],
    properties: { city: 'London' },
    status: kind === 'CONTACT_UNSUBSCRIBED' ? 'unsubscribed' : 'subscribed',
  },
  previous: previousOf[kind],
});

const previousOf: Partial<Record<EventKind, EventDetails['previous']>> = {
  CONTACT_UPDATED: { name: 'Ada Byron', properties: { city: null } },
  CONTACT_UNSUBSCRIBED: { status: 'subscribed' },
  CONTACT_RESUBSCRIBED: { status: 'unsubscribed' },
};
