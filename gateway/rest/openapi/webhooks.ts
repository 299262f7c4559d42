import { eventData, eventKinds, type EventKind } from '@roster/contracts';
import { schemaOf } from './schemas.js';

/** What a webhook receives, one entry per kind of event. */
export function describeWebhooks(serviceName: string): Record<string, object> {
  const parameters = headersOf(serviceName);
  return Object.fromEntries(eventKinds.map((kind) => [kind, { post: describe(kind, parameters) }]));
}

const meanings: Record<EventKind, string> = {
  CONTACT_CREATED: 'A contact was created',
  CONTACT_UPDATED: 'A contact was updated',
  CONTACT_UNSUBSCRIBED: 'A contact unsubscribed',
  CONTACT_RESUBSCRIBED: 'A contact resubscribed',
  CONTACT_DELETED: 'A contact was deleted',
  WORKSPACE_TEAM_MEMBER_JOINED: 'A team member joined the workspace',
};

function describe(kind: EventKind, parameters: object[]): object {
  return {
    operationId: `events.${kind}`,
    summary: meanings[kind],
    description:
      'Sent at least once, in no promised order; `webhook-id` is the same on every attempt.',
    tags: ['Events'],
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              event: { type: 'string', const: kind },
              created_at: { type: 'string', format: 'date-time', description: 'When it happened.' },
              data: schemaOf(eventData[kind], 'output'),
            },
            required: ['event', 'created_at', 'data'],
          },
          example: { event: kind, created_at: '2026-01-31T09:00:00.000Z', data: exampleData(kind) },
        },
      },
    },
    responses: {
      '2XX': {
        description: 'Received. Anything else, a redirect too, is a failure and tried again.',
      },
      '410': { description: 'Not wanted any more: the webhook is disabled.' },
    },
  };
}

function exampleData(kind: EventKind): object {
  if (kind === 'WORKSPACE_TEAM_MEMBER_JOINED') {
    return {
      workspace: { id: 'wksp_01jdd2wyr0fgysy41bd96rx7r1', name: 'Analytical Engines' },
      user: {
        id: 'usr_01jdd2wyr0fgysy41bd96rx7r1',
        email: 'grace@example.com',
        name: 'Grace Hopper',
      },
    };
  }
  const createdAt = '2026-01-31T09:00:00.000Z';
  return {
    contact: {
      id: 'cont_01jdd2wyr0fgysy41bd96rx7r1',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      createdAt,
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
      "HMAC-SHA256 of the body's bytes, keyed with the webhook's token, in hexadecimal.",
    ),
    header(
      `X-${serviceName}-Signature-Previous`,
      'The same with the token before, while a changed token overlaps.',
      false,
    ),
    header(`X-${serviceName}-Event`, 'The kind of event.'),
    header(`X-${serviceName}-Delivery`, 'Id of the delivery.'),
    header('webhook-id', 'Same on every attempt (Standard Webhooks).'),
    header(
      'webhook-timestamp',
      'When this attempt was signed, in seconds since 1970 (Standard Webhooks).',
    ),
    header(
      'webhook-signature',
      "`v1,` and a base64 HMAC-SHA256, keyed with the token's bytes (Standard Webhooks).",
    ),
  ];
}
