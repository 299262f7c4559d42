import type { IdKind } from './ids.js';

/** What an operation can be about: something that has an id. */
export interface Resource {
  /** Field that names it by its id: in inputs, and in REST's paths. */
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
} as const satisfies Partial<Record<IdKind, Resource>>;

export type ResourceKind = keyof typeof resources;
