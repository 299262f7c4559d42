import { contactOperations } from './contact.js';
import { contactPropertyOperations } from './contact-property.js';
import { deliveryOperations } from './delivery.js';
import { keyOperations } from './key.js';
import { userOperations } from './user.js';
import { webhookOperations } from './webhook.js';

export * from './broadcast.js';
export * from './event.js';
export * from './fault.js';
export * from './ids.js';
export * from './operation.js';
export * from './resource.js';
export { attemptTriggers, deliveryCursor, deliveryStatuses, replayStatuses } from './delivery.js';
export { contactCursor, contactStatuses } from './contact.js';
export { keyShape } from './key.js';
export * from './key-checksum.js';

/** All operations, by the service that serves them. */
export const operationsOf = {
  contacts: { ...contactOperations, ...contactPropertyOperations },
  users: { ...userOperations, ...keyOperations },
  webhooks: webhookOperations,
  dispatcher: deliveryOperations,
};

/** All operations, by name. */
export const operations = {
  ...operationsOf.contacts,
  ...operationsOf.users,
  ...operationsOf.webhooks,
  ...operationsOf.dispatcher,
};

export type Operations = typeof operations;
export type OperationName = keyof Operations;
