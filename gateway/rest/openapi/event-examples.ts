import type { EventKind } from '@roster/contracts';

/** Examples of the body of an event, by the payload of the webhook that receives it. */
export function eventExamples(kind: EventKind): Record<string, { value: object }> {
  const body = (data: object) => ({ value: { event: kind, created_at: createdAt, data } });
  const data = ofOthers[kind];
  if (data) return { compact: body(data) };
  const { status = 'subscribed', ...change } = changes[kind] ?? {};
  return {
    compact: body({ contact }),
    full: body({ contact: { ...contact, ...details, status }, ...change }),
  };
}

const createdAt = '2026-01-31T09:00:00.000Z';
const member = {
  workspace: { id: 'wksp_01jdd2wyr0fgysy41bd96rx7r1', name: 'Analytical Engines' },
  user: { id: 'usr_01jdd2wyr0fgysy41bd96rx7r1', email: 'grace@example.com', name: 'Grace Hopper' },
};
const ofOthers: Partial<Record<EventKind, object>> = {
  WORKSPACE_TEAM_MEMBER_JOINED: member,
  IMPORT_ENDED: {
    import: {
      id: 'imp_01jdd2wyr0fgysy41bd96rx7r1',
      status: 'completed',
      format: 'csv',
      mode: 'upsert',
      events: 'summary',
      dryRun: false,
      total: 50_000,
      done: 50_000,
      created: 49_000,
      updated: 998,
      skipped: 0,
      failed: 2,
      reason: null,
      createdAt,
      endedAt: '2026-01-31T09:00:12.000Z',
    },
  },
};
const contact = {
  id: 'cont_01jdd2wyr0fgysy41bd96rx7r1',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  createdAt,
};
const details = { tags: ['customer'], properties: { city: 'London' } };
const changes: Partial<
  Record<EventKind, { status?: string; changed: string[]; previous: object }>
> = {
  CONTACT_UPDATED: {
    changed: ['name', 'properties.city'],
    previous: { name: 'Ada Byron', properties: { city: null } },
  },
  CONTACT_UNSUBSCRIBED: {
    status: 'unsubscribed',
    changed: ['status'],
    previous: { status: 'subscribed' },
  },
  CONTACT_RESUBSCRIBED: { changed: ['status'], previous: { status: 'unsubscribed' } },
};
