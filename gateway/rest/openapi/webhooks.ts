import type { z } from 'zod';
import {
  deliveredData,
  detailedEventName,
  eventKinds,
  eventName,
  eventOf,
  listedEventName,
  listedEventOf,
  type EventKind,
} from '@roster/contracts';
import { eventExamples } from './examples.js';
import { reference, type Schema, schemaOf } from './schemas.js';

/** The requests that a webhook receives, one entry per event kind. */
export function describeWebhooks(serviceName: string): Record<string, object> {
  const parameters = headersOf(serviceName);
  return Object.fromEntries(eventKinds.map((kind) => [kind, { post: describe(kind, parameters) }]));
}

/** The schemas of the bodies of all event kinds, by their names. */
export const eventSchemas = (): Record<string, Schema> =>
  Object.fromEntries(eventKinds.map((kind) => [eventName(kind), bodyOf(kind)]));

/**
 * The schemas of the events of the log by kind, and in place of the types of the contracts, which are those of all of them, one of
 * these.
 *
 * @param named the types of the contracts by their names
 */
export const loggedEventSchemas = (named: Record<string, Schema>): Record<string, Schema> => ({
  ...byKind('EventListed', 'EventListed', named, listedEventName, listedEventOf),
  ...byKind('Event', 'EventWithDeliveries', named, detailedEventName, eventOf),
});

/** @param suffix of the names of the schemas */
function byKind(
  name: string,
  suffix: string,
  { [name]: ofAll = {} }: Record<string, Schema>,
  nameOf: (kind: EventKind) => string,
  typeOf: (kind: EventKind) => z.ZodType,
): Record<string, Schema> {
  const [known, later] = [`Known${suffix}`, `Later${suffix}`];
  const kinds = eventKinds.map((kind) => [kind, reference(nameOf(kind))] as const);
  return {
    ...Object.fromEntries(
      eventKinds.map((kind) => [nameOf(kind), schemaOf(typeOf(kind), 'output')]),
    ),
    [later]: {
      ...ofAll,
      description: 'An event of a kind that a later release adds.',
      properties: { ...ofAll.properties, kind: { type: 'string', not: { enum: [...eventKinds] } } },
    },
    [name]: { anyOf: [known, later].map(reference) },
    // A discriminator must list the values of every type that it chooses from.
    [known]: {
      description: 'An event, whose `kind` determines its `data`.',
      oneOf: kinds.map(([, one]) => one),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(kinds.map(([kind, { $ref }]) => [kind, $ref])),
      },
    },
  };
}

const bodyOf = (kind: EventKind): Schema => ({
  type: 'object',
  properties: {
    event: { type: 'string', const: kind },
    created_at: {
      type: 'string',
      format: 'date-time',
      description: 'When the event occurred.',
    },
    data: schemaOf(deliveredData[kind], 'output'),
  },
  required: ['event', 'created_at', 'data'],
});

const meanings: Record<EventKind, string> = {
  CONTACT_CREATED: 'A contact was created',
  CONTACT_UPDATED: 'A contact was updated',
  CONTACT_UNSUBSCRIBED: 'A contact unsubscribed',
  CONTACT_RESUBSCRIBED: 'A contact resubscribed',
  CONTACT_DELETED: 'A contact was deleted',
  WORKSPACE_TEAM_MEMBER_JOINED: 'A team member joined the workspace',
  IMPORT_ENDED: 'An import ended: it was completed, was cancelled, or failed',
  ACTION_ENDED: 'An action on contacts ended: it was completed, was cancelled, or failed',
  WEBHOOK_FAILING: 'Another webhook begins to fail',
  WEBHOOK_DISABLED: 'Another webhook was disabled',
  DELIVERY_DEAD: 'A delivery of another webhook is dead',
  KEY_EXPIRING: 'An API key expires in seven days, or in one',
};

function describe(kind: EventKind, parameters: object[]): object {
  return {
    operationId: `events.${kind}`,
    summary: meanings[kind],
    description:
      'Delivered at least once, in no guaranteed order. `webhook-id` and the body are the same on every attempt.',
    tags: ['Events'],
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: reference(eventName(kind)),
          examples: eventExamples(kind),
        },
      },
    },
    responses: {
      '2XX': {
        description:
          'The delivery succeeded. Any other status, including redirects, is a failure and is retried.',
      },
      '410': { description: 'The webhook is disabled and receives no further deliveries.' },
    },
  };
}

function headersOf(serviceName: string): object[] {
  const header = (name: string, description: string, required = true) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  return [
    header(
      `X-${serviceName}-Signature`,
      'HMAC-SHA256 of the raw body, keyed with the token of the webhook, in hexadecimal.',
    ),
    header(
      `X-${serviceName}-Signature-Previous`,
      'Signature with the previous token, during the overlap after a token rotation.',
      false,
    ),
    header(`X-${serviceName}-Event`, 'Event kind.'),
    header(`X-${serviceName}-Delivery`, 'ID of the delivery.'),
    header(`X-${serviceName}-Event-Id`, 'ID of the event; the same for all webhooks.'),
    header(`X-${serviceName}-Webhook-Id`, 'ID of the webhook.'),
    header('webhook-id', 'ID of the delivery; the same on every attempt (Standard Webhooks).'),
    header(
      'webhook-timestamp',
      'Unix time at which this attempt was signed, in seconds (Standard Webhooks).',
    ),
    header(
      'webhook-signature',
      '`v1,` followed by a base64 HMAC-SHA256, keyed with the bytes of the token (Standard Webhooks).',
    ),
  ];
}
