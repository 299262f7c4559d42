import type { KnownWebhook } from '../../../../webhooks/known-webhook.js';
import { deliveryId } from '../../../../delivery/delivery.js';

const prefix = '00000000-0000-7000-8000-';
export const workspaceId = `${prefix}${'0'.repeat(12)}`;

/** The ID of the n-th event of a run. */
export const eventNamed = (n: number): string => `${prefix}${String(n).padStart(12, '0')}`;

/** Both subscribe to every event. */
export const webhooks = ['a', 'b'].map((name): KnownWebhook => ({
  ...{
    id: `webhook ${name}`,
    workspaceId,
    url: new URL(`https://${name}.example/`),
    payload: 'compact',
    headers: {},
    ratePerSecond: null,
    filter: null,
    filterChangedMs: null,
    traceContext: false,
  },
  ...{ since: new Map([['CONTACT_CREATED', { ms: 0, position: null }]]), disabled: null },
  ...{ token: 'a-token', previousToken: null, disabledReason: null },
}));

/** The events of the message of an event: those of even numbers have one more. */
export const eventsOf = (eventId: string): string[] => {
  const n = Number(eventId.slice(prefix.length));
  return n % 2 === 0 ? [eventId, eventNamed(n + 1_000_000)] : [eventId];
};

/** The deliveries of the message of an event. */
export const deliveriesOf = (eventId: string): string[] =>
  eventsOf(eventId).flatMap((event) => webhooks.map(({ id }) => deliveryId(event, id)));
