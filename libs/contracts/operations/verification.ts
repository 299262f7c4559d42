import { z } from 'zod';
import { idSchema } from '../ids.js';
import { defineOperation, type ServiceName } from '../operation.js';
import { inputTimestamp, timestamp } from '../text.js';

/** Findings that one page lists. All of them count. */
export const verifiedMax = 100;

const workspaceId = idSchema('workspace');
const sequence = z.int().min(0);
/** What is younger may still be on its way. */
const olderThanSeconds = z.int().min(0).max(86_400);

const eventRow = z.object({
  eventId: idSchema('event'),
  workspaceId,
  kind: z.string(),
  createdAt: timestamp,
});
const position = z.object({ sequence, id: idSchema('event') });

/** Compares the outbox of a service with the stream, page by page. */
const verifyOutbox = <const Name extends string>(name: Name, service: ServiceName) =>
  defineOperation({
    name,
    summary: `Compare the outbox of ${service} with the stream`,
    service,
    // Without `repair` it writes nothing.
    access: 'write',
    calledBy: ['operator'],
    readsEventLog: true,
    input: z.strictObject({
      olderThanSeconds,
      since: inputTimestamp,
      after: position.optional(),
      /** Has the service publish again what the stream lacks. */
      repair: z.boolean(),
    }),
    output: z.object({
      /** Rows that are not published, on the first page. A row is the events of a write and workspace, and is named by the first. */
      unpublished: z.object({ count: z.int(), rows: z.array(eventRow) }),
      /** Published rows of this page, and those of them that the stream lacks. */
      compared: z.int(),
      absent: z.object({ count: z.int(), rows: z.array(eventRow.extend({ sequence })) }),
      repaired: z.int(),
      next: position.nullable(),
    }),
    faults: [],
  });

const deliveries = z.object({
  count: z.int(),
  deliveries: z.array(
    z.object({
      deliveryId: idSchema('delivery'),
      eventId: idSchema('event'),
      webhookId: idSchema('webhook'),
      workspaceId,
    }),
  ),
});

/** Internal operations of `roster verify`. Each service answers about its own tables. */
export const contactVerification = {
  'contacts.verify-outbox': verifyOutbox('contacts.verify-outbox', 'contacts'),
};
export const userVerification = {
  'users.verify-outbox': verifyOutbox('users.verify-outbox', 'users'),
};
export const webhookVerification = {
  'webhooks.verify-outbox': verifyOutbox('webhooks.verify-outbox', 'webhooks'),
};
export const dispatcherVerification = {
  'dispatcher.verify-outbox': verifyOutbox('dispatcher.verify-outbox', 'dispatcher'),
  'dispatcher.verify-deliveries': defineOperation({
    name: 'dispatcher.verify-deliveries',
    summary: 'Compare the stream with the recorded deliveries',
    service: 'dispatcher',
    access: 'write',
    calledBy: ['operator'],
    callsServices: ['webhooks'],
    readsEventLog: true,
    input: z.strictObject({
      olderThanSeconds,
      since: inputTimestamp,
      /** Continues after this sequence. */
      after: sequence.optional(),
      /** Puts the deliveries that are missing into the queue. */
      repair: z.boolean(),
    }),
    output: z.object({
      events: z.int(),
      /** Deliveries that were looked for. */
      expected: z.int(),
      /** Deliveries of which it is not certain that their webhook had subscribed to the event. They are not looked for. */
      uncertain: z.int(),
      /** Sequences without a message, which the stream had stored and did not remove for its age. */
      gaps: z.object({
        count: z.int(),
        ranges: z.array(z.object({ from: sequence, until: sequence })),
      }),
      /** Of events that are acknowledged: they do not come again. */
      undelivered: deliveries,
      /** Of events that no dispatcher has handled, and that will come again. */
      unhandled: deliveries,
      /** Pending deliveries that no dispatcher will attempt: they are not in the queue. */
      unqueued: deliveries,
      /** Deliveries whose next attempt should have been made, on the first page. Without webhooks with a rate. */
      overdue: deliveries,
      repaired: z.int(),
      next: sequence.nullable(),
    }),
    faults: [],
  }),
};
