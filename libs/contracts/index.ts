import { apiKeyOperations } from './operations/api-key.js';
import {
  auditLogOperations,
  contactAuditOperations,
  webhookAuditOperations,
} from './operations/audit-log.js';
import { contactOperations } from './operations/contact.js';
import { contactBatchOperations } from './operations/contact-batch.js';
import { contactPropertyOperations } from './operations/contact-property.js';
import { currentKeyOperations } from './operations/current-key.js';
import { deliveryOperations } from './operations/delivery.js';
import { eventLogOperations } from './operations/event-log.js';
import { importOperations } from './operations/import.js';
import { keyOperations } from './operations/key.js';
import { metaOperations } from './operations/meta.js';
import { originOperations } from './operations/origin.js';
import { replayOperations } from './operations/replay.js';
import { settingsOperations } from './operations/settings.js';
import { tokenOperations } from './operations/token.js';
import { unsubscribeLinkOperations } from './operations/unsubscribe-link.js';
import { userOperations } from './operations/user.js';
import { webhookOperations } from './operations/webhook.js';
import { webhookStatsOperations } from './operations/webhook-stats.js';
import { webhookSubscriptionOperations } from './operations/webhook-subscription.js';

export * from './broadcast.js';
export * from './entity-tag.js';
export * from './event.js';
export * from './event-details.js';
export * from './fault.js';
export * from './field-errors.js';
export * from './ids.js';
export * from './operation.js';
export { describeDefault } from './describe-default.js';
export { isListableOrigin, isOrigin, originsMax } from './origin.js';
export * from './page.js';
export * from './permission.js';
export * from './release.js';
export * from './resource.js';
export * from './served-input.js';
export { emailKey, inputTimestamp } from './text.js';
export { attemptTriggers, deliveryCursor, deliveryStatuses } from './operations/delivery.js';
export { replayStatuses } from './operations/replay.js';
export { contactCursor } from './operations/contact.js';
export {
  contactLimits,
  contactStatuses,
  propertiesTooLarge,
  tagsMax,
} from './operations/contact-fields.js';
export {
  contactBatchFaults,
  contactBatchLimits,
  contactOperation,
  type ContactOperation,
} from './operations/contact-batch.js';
export {
  importErrorCodes,
  importFormats,
  importCursor,
  importLimits,
  importModes,
  importStatuses,
  type ImportRow,
} from './operations/import.js';
export { contactPosition, contactSorts, type ContactSort } from './operations/contact-filter.js';
export { contactPropertiesMax, contactPropertyCursor } from './operations/contact-property.js';
export { signingSecretOf, webhooksMax } from './operations/webhook.js';
export { statsHoursMax } from './operations/webhook-stats.js';
export { apiKeyCursor, apiKeysMax } from './operations/api-key.js';
export {
  auditActions,
  auditActionsOf,
  auditCursor,
  auditEntriesMax,
  auditKeyEntriesMax,
  type AuditAction,
  type AuditActorType,
} from './operations/audit-log.js';
export { interfaceLimits, sourceAddressesMax } from './operations/meta.js';
export { userCursor } from './operations/user.js';
export { keyShape } from './operations/key.js';
export { tokenOperationsMax, tokenSecondsMax, tokenShape } from './operations/token.js';
export * from './key-checksum.js';

/** All operations, by the service that serves them. */
export const operationsOf = {
  contacts: {
    ...contactOperations,
    ...contactBatchOperations,
    ...contactPropertyOperations,
    ...unsubscribeLinkOperations,
    ...settingsOperations,
    ...contactAuditOperations,
    ...importOperations,
  },
  users: {
    ...userOperations,
    ...apiKeyOperations,
    ...currentKeyOperations,
    ...keyOperations,
    ...tokenOperations,
    ...auditLogOperations,
    ...originOperations,
  },
  webhooks: { ...webhookOperations, ...webhookSubscriptionOperations, ...webhookAuditOperations },
  dispatcher: {
    ...deliveryOperations,
    ...webhookStatsOperations,
    ...replayOperations,
    ...eventLogOperations,
    ...metaOperations,
  },
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
