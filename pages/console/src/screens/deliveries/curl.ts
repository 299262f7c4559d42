import type { DeliveryQuery } from './deliveries.graphql.js';

type Of = Pick<
  NonNullable<DeliveryQuery['delivery']>,
  'id' | 'eventId' | 'kind' | 'webhookId' | 'payload' | 'webhook'
>;

/** Headers of every attempt of a delivery. The others depend on its time. */
export const headersOf = ({ id, eventId, kind, webhookId }: Of) => [
  ['Content-Type', 'application/json'],
  ['X-Roster-Event', kind],
  ['X-Roster-Delivery', id],
  ['X-Roster-Event-Id', eventId],
  ['X-Roster-Webhook-Id', webhookId],
  ['webhook-id', id],
];

/** The request without its signatures, for a shell. */
export const curlOf = (delivery: Of): string =>
  [
    `curl -i ${quoted(delivery.webhook?.url ?? 'http://localhost:3000/hook')}`,
    ...headersOf(delivery).map((pair) => `-H ${quoted(pair.join(': '))}`),
    `--data-binary ${quoted(JSON.stringify(delivery.payload))}`,
  ].join(' \\\n  ');

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
