import { adminWorkspaceOperations } from './operations/users/admin-workspace.js';
import { apiKeyOperations } from './operations/users/api-key.js';
import {
  auditLogOperations,
  contactAuditOperations,
  dispatcherAuditOperations,
  webhookAuditOperations,
} from './operations/users/audit-log.js';
import { contactOperations } from './operations/contacts/contact.js';
import { contactActionOperations } from './operations/contacts/contact-action.js';
import { erasureOperations } from './operations/contacts/erasure.js';
import { eventErasureOperations } from './operations/dispatcher/event-erasure.js';
import { contactBatchOperations } from './operations/contacts/contact-batch.js';
import { contactPropertyOperations } from './operations/contacts/contact-property.js';
import { tagOperations } from './operations/contacts/tag.js';
import { deliveryOperations } from './operations/dispatcher/delivery.js';
import { eventLogOperations } from './operations/dispatcher/event-log.js';
import { importOperations } from './operations/contacts/import.js';
import { keyOperations } from './operations/users/key.js';
import { metaOperations } from './operations/dispatcher/meta.js';
import { originOperations } from './operations/users/origin.js';
import { quotaOperations } from './operations/users/quota.js';
import { replayOperations } from './operations/dispatcher/replay.js';
import { exportLinkOperations } from './operations/users/export-link.js';
import { sessionOperations } from './operations/users/session.js';
import { suppressionOperations } from './operations/contacts/suppression.js';
import { settingsOperations } from './operations/contacts/settings.js';
import { tokenOperations } from './operations/users/token.js';
import { unsubscribeLinkOperations } from './operations/contacts/unsubscribe-link.js';
import {
  contactsUsageOperations,
  dispatcherUsageOperations,
  usageOperations,
} from './operations/users/usage.js';
import { userOperations } from './operations/users/user.js';
import {
  contactVerification,
  dispatcherVerification,
  userVerification,
  webhookVerification,
} from './operations/verification.js';
import {
  contactsDeletionOperations,
  dispatcherDeletionOperations,
  webhooksDeletionOperations,
} from './operations/users/workspace-deletion.js';
import { webhookOperations } from './operations/webhooks/webhook.js';
import { webhookSubscriptionOperations } from './operations/webhooks/webhook-subscription.js';

export * from './activity.js';
export * from './broadcast.js';
export * from './entity-tag.js';
export * from './event.js';
export * from './event-details.js';
export * from './fault.js';
export * from './field-errors.js';
export * from './graphql-field.js';
export * from './ids.js';
export * from './id-times.js';
export * from './operation.js';
export { isListableOrigin, isOrigin, originsMax } from './operations/users/origin.js';
export * from './page.js';
export * from './permission.js';
export * from './schema-names.js';
export { emailKey, inputTimestamp, nameWords } from './text.js';
export {
  attemptTriggers,
  countedDeliveriesMax,
  deliveryCursor,
  deliveryStatuses,
  healthWebhooksMax,
  statsHoursMax,
} from './operations/dispatcher/delivery.js';
export { eventOf, eventOrders, listedEventOf } from './operations/dispatcher/event-log.js';
export { replayCursor, replayStatuses } from './operations/dispatcher/replay.js';
export { contactCursor } from './operations/contacts/contact.js';
export {
  suppressionCursor,
  suppressionEmailsMax,
  suppressionReasons,
} from './operations/contacts/suppression.js';
export { noticeCodes, type Notice, type NoticeCode } from './operations/contacts/notice.js';
export {
  isBareAddress,
  referenceOf,
  type Reference,
} from './operations/contacts/contact-reference.js';
export {
  contactLimits,
  contactStatuses,
  tagsMax,
  withName,
  withTagChanges,
} from './operations/contacts/contact-fields.js';
export {
  contactPropertyTypes,
  isOfType,
  propertyTypeLimits,
  propertyTypeWords,
  readAsType,
  type ContactPropertyType,
  type PropertyValue,
} from './operations/contacts/property-type.js';
export { tagCursor } from './operations/contacts/tag.js';
export {
  contactActionCursor,
  contactActionLimits,
  contactActionStatuses,
  type ContactChange,
} from './operations/contacts/contact-action.js';
export {
  contactBatchFaults,
  batchOperationsMax,
  contactOperation,
  type ContactOperation,
} from './operations/contacts/contact-batch.js';
export {
  importDelimiters,
  importErrorCodes,
  importFormats,
  importCursor,
  importLimits,
  importModes,
  importStatuses,
  type ImportHeader,
  type PreviewedColumn,
  type ImportRow,
} from './operations/contacts/import.js';
export {
  contactSorts,
  isPropertySort,
  propertyOfSort,
  type ContactSort,
  type PropertySort,
} from './operations/contacts/contact-filter.js';
export {
  contactPosition,
  nameKey,
  propertyPosition,
  sortedChars,
  type PlacedContact,
  type PropertyPosition,
} from './operations/contacts/contact-position.js';
export {
  conditionValuesMax,
  valuesOf,
  readCondition,
  type FilterCondition,
} from './operations/contacts/filter-condition.js';
export {
  contactPropertiesMax,
  contactPropertyCursor,
  propertyValuesLimits,
  type PropertyTypeChange,
} from './operations/contacts/contact-property.js';
export { signingSecretOf, webhooksMax } from './operations/webhooks/webhook.js';
export { webhookFilter, type WebhookFilter } from './webhook-filter.js';
export { problemOfOwnHeaders } from './operations/webhooks/webhook-headers.js';
export {
  adminKeyShape,
  type DeletionPhase,
  workspaceStatuses,
  type WorkspaceStatus,
} from './operations/users/admin-workspace.js';
export { apiKeyCursor, apiKeysMax } from './operations/users/api-key.js';
export {
  auditActions,
  auditActionsOf,
  auditCursor,
  auditEntriesMax,
  auditKeyEntriesMax,
  type AuditAction,
  type AuditActorType,
} from './operations/users/audit-log.js';
export { interfaceLimits, sourceAddressesMax } from './operations/dispatcher/meta.js';
export {
  sessionCursor,
  sessionLimits,
  sessionLinkShape,
  signInAttemptShape,
  type SignInRefusal,
  sessionSecretShape,
} from './operations/users/session.js';
export {
  erasuresActiveMax,
  erasureStatuses,
  erasureSteps,
  type ErasureStep,
} from './operations/contacts/erasure.js';
export { nothingKnown, redactedJson, withValues, type KnownValues } from './known-values.js';
export { exportLinkLimits, exportLinkShape } from './operations/users/export-link.js';
export { verifiedMax } from './operations/verification.js';
export { type RequestQuota, type WorkspaceQuotas } from './operations/users/quota.js';
export { usageLimits } from './operations/users/usage.js';
export { userCursor } from './operations/users/user.js';
export { tokenOperationsMax, tokenSecondsMax, tokenShape } from './operations/users/token.js';
export {
  base62,
  checksumOf,
  hasValidChecksum,
  keyShape,
  workspaceCursor,
} from './operations/users/key.js';

/** Version of Roster, as in package.json. */
export const releaseVersion = '0.3.0';

/** All operations, by the service that serves them. */
export const operationsOf = {
  contacts: {
    ...contactOperations,
    ...contactBatchOperations,
    ...contactActionOperations,
    ...contactPropertyOperations,
    ...tagOperations,
    ...unsubscribeLinkOperations,
    ...settingsOperations,
    ...contactAuditOperations,
    ...importOperations,
    ...suppressionOperations,
    ...contactsDeletionOperations,
    ...contactVerification,
    ...erasureOperations,
    ...contactsUsageOperations,
  },
  users: {
    ...userOperations,
    ...apiKeyOperations,
    ...keyOperations,
    ...tokenOperations,
    ...sessionOperations,
    ...exportLinkOperations,
    ...auditLogOperations,
    ...originOperations,
    ...adminWorkspaceOperations,
    ...userVerification,
    ...usageOperations,
    ...quotaOperations,
  },
  webhooks: {
    ...webhookOperations,
    ...webhookSubscriptionOperations,
    ...webhookAuditOperations,
    ...webhooksDeletionOperations,
    ...webhookVerification,
    ...webhooksDeletionOperations,
  },
  dispatcher: {
    ...deliveryOperations,
    ...replayOperations,
    ...eventLogOperations,
    ...metaOperations,
    ...dispatcherAuditOperations,
    ...dispatcherDeletionOperations,
    ...dispatcherVerification,
    ...eventErasureOperations,
    ...dispatcherUsageOperations,
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
