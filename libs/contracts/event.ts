import { z } from 'zod';
import { idSchema } from './ids.js';
import { contactActionShape } from './operations/contacts/contact-action.js';
import { importShape } from './operations/contacts/import.js';
import type { ProgramName, ServiceName } from './operation.js';
import { timestamp } from './text.js';

/** Event kinds that a webhook can subscribe to. */
export const eventKinds = [
  'CONTACT_CREATED',
  'CONTACT_UPDATED',
  'CONTACT_UNSUBSCRIBED',
  'CONTACT_RESUBSCRIBED',
  'CONTACT_DELETED',
  'WORKSPACE_TEAM_MEMBER_JOINED',
  'IMPORT_ENDED',
  'ACTION_ENDED',
  'WEBHOOK_FAILING',
  'WEBHOOK_DISABLED',
  'DELIVERY_DEAD',
  'KEY_EXPIRING',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** In `events` of a webhook: all kinds, also those that later releases add. */
export const allKinds = '*';
export const subscribableKinds = [...eventKinds, allKinds] as const;
export type SubscribableKind = (typeof subscribableKinds)[number];

/** Event kinds that select events. Duplicates are removed. */
export const eventKindsInput = z
  .array(z.enum(eventKinds))
  .min(1)
  .max(eventKinds.length)
  .overwrite((kinds) => [...new Set(kinds)]);

/** An event kind as stored. Later releases may add kinds. */
export const storedKind = z.union([z.enum(eventKinds).meta({ id: 'EventKind' }), z.string()]).meta({
  type: 'string',
  description: 'One of these kinds, or one that a later release adds.',
});

/** The service that publishes an event kind. NATS denies it to all others. */
export const publisherOf: Record<EventKind, ServiceName> = {
  CONTACT_CREATED: 'contacts',
  CONTACT_UPDATED: 'contacts',
  CONTACT_UNSUBSCRIBED: 'contacts',
  CONTACT_RESUBSCRIBED: 'contacts',
  CONTACT_DELETED: 'contacts',
  WORKSPACE_TEAM_MEMBER_JOINED: 'users',
  IMPORT_ENDED: 'contacts',
  ACTION_ENDED: 'contacts',
  WEBHOOK_FAILING: 'webhooks',
  WEBHOOK_DISABLED: 'webhooks',
  DELIVERY_DEAD: 'dispatcher',
  KEY_EXPIRING: 'users',
};

const contactData = z.object({
  contact: z.object({
    id: idSchema('contact'),
    email: z.string(),
    name: z.string(),
    createdAt: timestamp,
  }),
});
/** With `erased`, the values are placeholders: see `erasedContact`. */
const deletedData = contactData.extend({
  erased: z
    .literal(true)
    .optional()
    .meta({ description: 'The contact was erased: `email` and `name` are placeholders.' }),
});
const teamMemberData = z.object({
  workspace: z.object({ id: idSchema('workspace'), name: z.string() }),
  user: z.object({ id: idSchema('user'), email: z.string(), name: z.string() }),
});

/** Without its URL, which may contain a secret. */
const webhookData = z.object({
  webhook: z.object({
    id: idSchema('webhook'),
    description: z.string().nullable(),
    failingSince: timestamp.nullable(),
    disabledReason: z.string().nullable(),
  }),
});

const deliveryData = z.object({
  webhook: z.object({ id: idSchema('webhook') }),
  delivery: z.object({
    id: idSchema('delivery'),
    eventId: idSchema('event'),
    kind: z.string(),
    reason: z.string(),
    attemptCount: z.int(),
    lastStatusCode: z.int().nullable(),
  }),
});

const keyData = z.object({
  apiKey: z.object({
    id: idSchema('key'),
    name: z.string(),
    userId: idSchema('user'),
    expiresAt: timestamp,
  }),
});

/** `data` of each event kind. */
export const eventData = {
  CONTACT_CREATED: contactData,
  CONTACT_UPDATED: contactData,
  CONTACT_UNSUBSCRIBED: contactData,
  CONTACT_RESUBSCRIBED: contactData,
  CONTACT_DELETED: deletedData,
  WORKSPACE_TEAM_MEMBER_JOINED: teamMemberData,
  IMPORT_ENDED: z.object({ import: importShape }),
  ACTION_ENDED: z.object({ action: contactActionShape }),
  WEBHOOK_FAILING: webhookData,
  WEBHOOK_DISABLED: webhookData,
  DELIVERY_DEAD: deliveryData,
  KEY_EXPIRING: keyData,
} satisfies Record<EventKind, z.ZodType>;

/** What remains of a contact in events when it is erased: an address of its own to which nothing can be sent (RFC 2606). */
export const erasedContact = (id: string, createdAt: string) => ({
  ...{ id, email: `${id}@erased.invalid`, name: '' },
  createdAt,
});

/** Body of a delivery with `payload: "compact"`, and message on the stream. */
export interface EventBody<K extends EventKind = EventKind> {
  event: K;
  created_at: string;
  data: z.output<(typeof eventData)[K]>;
}

/** The time and counter of an event's UUID, with which the UUIDs of its deliveries begin. */
export const eventIdStart = (uuid: string): string => uuid.slice(0, 18);

/** An event as a row of an outbox or a message carries it. */
export interface CarriedEvent {
  /** Its UUID. */
  id: string;
  /** Body of the delivery: serialized once, and stored, signed and sent as these bytes. */
  body: string;
  /** `EventDetails` as JSON; undefined if the event has none. */
  details: string | undefined;
  /** W3C trace context, if what caused the event was traced. */
  trace?: { traceparent: string; tracestate?: string | undefined };
}

/**
 * Several events of one workspace and kind as one text: a line for each, with its ID, body and details between tabs. JSON has
 * neither tabs nor line breaks.
 */
export const joinEvents = (events: readonly CarriedEvent[]): string =>
  events.map(({ id, body, details }) => `${id}\t${body}\t${details ?? ''}`).join('\n');

/** The events of a text of `joinEvents`. A line of another shape yields an event without ID. */
export const splitEvents = (text: string): CarriedEvent[] =>
  text.split('\n').map((line) => {
    const [id = '', body = '', details = ''] = line.split('\t', 3);
    return { id: uuid.test(id) ? id : '', body, details: details || undefined };
  });

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** JetStream stream of all messages with events, and the subject of one: `events.<workspace id>.<KIND>`. */
export const eventStream = 'EVENTS';
export const eventSubject = (workspaceId: string, kind: EventKind | '*'): string =>
  `events.${workspaceId}.${kind}`;
/**
 * Where the stream republishes each message that it has stored, with its sequence: `stored.<workspace id>.<KIND>`. No program
 * may publish there.
 */
export const storedEvents = 'stored.>';
/**
 * The only program that changes the settings of the stream. With that permission, a program can make the stream record the
 * messages of any subject, answers to other programs included. This one signs the statements about callers, and is trusted anyway.
 */
export const streamAdministrator: ProgramName = 'users';
/** Durable consumer of the stream, which the dispatchers share. */
export const eventConsumer = 'dispatcher';

/**
 * A position in the stream of events. An event of the same stream is older if neither its sequence nor the time at which it was
 * stored is greater: a stream that lost its latest messages assigns their sequences again, to messages that it stores later.
 */
export const streamPosition = z.object({
  /** When the stream was created. A stream that is created again is another one. */
  stream: z.string(),
  sequence: z.number(),
  /** When the message at the sequence was stored, in nanoseconds since the epoch, rounded to a number. */
  storedNs: z.number(),
});
export type StreamPosition = z.output<typeof streamPosition>;
