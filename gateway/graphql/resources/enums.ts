import {
  allKinds,
  attemptTriggers,
  auditActions,
  circuitStates,
  contactActionStatuses,
  contactPropertyTypes,
  contactStatuses,
  deliveryStatuses,
  erasureStatuses,
  erasureSteps,
  eventKinds,
  eventOrders,
  importErrorCodes,
  importFormats,
  importModes,
  importStatuses,
  noticeCodes,
  operations,
  scopes,
  suppressionReasons,
} from '@roster/contracts';
import { declareEnum, declareOpenEnum } from '../contract/field-types.js';

const { shape: importShape } = operations['imports.get'].output.shape.import;
const { shape: webhookShape } = operations['webhooks.get'].output.shape.webhook;
const { shape: auditShape } = operations['audit-log.list'].output.shape.entries.element;

declareEnum('ContactStatus', contactStatuses, 'Subscription status of a contact.');

declareEnum('NoticeCode', noticeCodes, 'What was not applied as requested.', {
  NOT_RESUBSCRIBED: 'The contact remains unsubscribed: only `resubscribeContact` changes that.',
  SUPPRESSED: 'The address is suppressed: the contact is unsubscribed.',
});

declareEnum('ErasureStatus', erasureStatuses, 'How far an erasure is.');
declareEnum('ErasureStep', erasureSteps, 'What an erasure is erasing.', {
  RECORDS: 'Of requests, imports and actions.',
});

declareEnum('SuppressionReason', suppressionReasons, 'Why an address is suppressed.', {
  UNSUBSCRIBED: 'Also if a contact with the address unsubscribed.',
});

declareEnum(
  'ContactPropertyType',
  contactPropertyTypes,
  'Type of the values of a contact property.',
  {
    NUMBER: 'A finite double. An integer beyond 2^53 is rejected.',
    DATE: 'A string `YYYY-MM-DD`, a day of the calendar.',
  },
);

export const ScopeEnum = declareEnum(
  'Scope',
  scopes,
  'What an API key may do. Neither scope implies the other.',
);

declareEnum('AuditActorType', auditShape.actorType.options, 'What made a change.', {
  SYSTEM: 'No request made the change: for example, a webhook that fails was disabled.',
});
declareOpenEnum(auditActions);

export const EventKindEnum = declareEnum(
  'EventKind',
  eventKinds,
  'Kinds of events that a webhook can subscribe to.',
  {
    ALL: 'All kinds, also those that later releases add: in `events` of a webhook, which then has no other.',
  },
  { ALL: allKinds },
);

declareEnum('EventLogOrder', eventOrders, 'Order of the event log.', {
  ASC: 'The order in which events were published.',
  DESC: 'Newest first.',
});

declareEnum('WebhookStatus', webhookShape.status.options, 'Status of a webhook.', {
  FAILING: 'Every attempt since the last success failed.',
  DISABLED: 'No deliveries are sent until the webhook is enabled.',
});

// The name `WebhookPayload` would be that of a result of a mutation.
declareEnum(
  'WebhookPayloadFormat',
  webhookShape.payload.options,
  'Fields of `data` in deliveries.',
  {
    COMPACT: '`id`, `email`, `name` and `createdAt` of a contact.',
    FULL: 'Also its `tags`, `properties` and `status`, and what changed.',
  },
);

declareEnum('DeliveryStatus', deliveryStatuses, 'Status of a delivery.', {
  PENDING: 'Waiting for the next attempt.',
  DEAD: 'No further attempts are scheduled. It is sent again only when retried or replayed.',
  SKIPPED: 'Not sent because the webhook was disabled or deleted.',
});

declareEnum('AttemptTrigger', attemptTriggers, 'What triggered an attempt.', {
  RETRY: 'A previous attempt failed.',
  MANUAL: 'Requested with `retryDelivery`.',
});

// A dry run is not stored, and no `Replay`.
export const ReplayStatus = declareEnum(
  'ReplayStatus',
  ['running', 'completed', 'cancelled'],
  'Status of a replay.',
);

export const CircuitState = declareEnum(
  'CircuitState',
  circuitStates,
  'State of the circuit breaker of a webhook.',
);

declareEnum('ContactActionStatus', contactActionStatuses, 'Status of an action on contacts.');
declareEnum('ImportStatus', importStatuses, 'Status of an import.');
declareEnum('ImportFormat', importFormats, 'Format of an imported file.');
declareEnum(
  'ImportErrorCode',
  importErrorCodes,
  'Why a row of an import was refused, or what of it was not applied as requested.',
  {
    INVALID_JSON: 'A line of NDJSON that cannot be read.',
    MALFORMED: 'A row of CSV that cannot be read.',
  },
);
declareEnum(
  'ImportMode',
  importModes,
  'Whether an import updates existing contacts or leaves them unchanged.',
);
declareEnum(
  'ImportEvents',
  importShape.events.options,
  'Whether an import causes an event for each contact, or only one for its end.',
);
