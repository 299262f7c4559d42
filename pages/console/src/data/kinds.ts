import type { EventKind } from './live.graphql.js';

const names: Record<Exclude<EventKind, 'ALL'>, string> = {
  CONTACT_CREATED: 'Contact created',
  CONTACT_UPDATED: 'Contact updated',
  CONTACT_UNSUBSCRIBED: 'Contact unsubscribed',
  CONTACT_RESUBSCRIBED: 'Contact resubscribed',
  CONTACT_DELETED: 'Contact deleted',
  IMPORT_ENDED: 'Import ended',
  ACTION_ENDED: 'Action ended',
  WORKSPACE_TEAM_MEMBER_JOINED: 'Team member joined',
  WEBHOOK_FAILING: 'Webhook failing',
  WEBHOOK_DISABLED: 'Webhook disabled',
  DELIVERY_DEAD: 'Delivery dead',
  KEY_EXPIRING: 'API key expiring',
};

/** Kinds of events, in the order in which they are offered. */
export const eventKinds = Object.keys(names) as EventKind[];

/** A kind for the reader. One of a later release is shown by its own name. */
export const kindName = (kind: EventKind): string =>
  (kind === 'ALL' ? 'All events' : names[kind]) ?? kind;

/** "Contact created, updated · Import ended", or "All events". */
export function kindsSummary(kinds: readonly EventKind[]): string {
  if (kinds.includes('ALL') || eventKinds.every((kind) => kinds.includes(kind)))
    return 'All events';
  const ofContacts = kinds.map(kindName).filter((name) => name.startsWith('Contact '));
  const others = kinds.map(kindName).filter((name) => !name.startsWith('Contact '));
  const contacts = ofContacts.map((name, at) => (at === 0 ? name : name.slice('Contact '.length)));
  return [...(contacts.length > 0 ? [contacts.join(', ')] : []), ...others].join(' · ');
}
