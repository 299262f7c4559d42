import type { IdKind } from './ids.js';

/** A kind of object that has an ID and that operations refer to. */
export interface Resource {
  /** Field that contains the ID, in inputs and in paths of REST. */
  idField: string;
  /** As in "No such contact." */
  noun: string;
}

export const resources = {
  contact: { idField: 'contactId', noun: 'contact' },
  contactProperty: { idField: 'propertyId', noun: 'contact property' },
  user: { idField: 'userId', noun: 'user' },
  key: { idField: 'keyId', noun: 'key' },
  webhook: { idField: 'webhookId', noun: 'webhook' },
  delivery: { idField: 'deliveryId', noun: 'delivery' },
  replay: { idField: 'replayId', noun: 'replay' },
  import: { idField: 'importId', noun: 'import' },
  event: { idField: 'eventId', noun: 'event' },
} as const satisfies Partial<Record<IdKind, Resource>>;

export type ResourceKind = keyof typeof resources;
