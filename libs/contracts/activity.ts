import { z } from 'zod';
import { idSchema } from './ids.js';
import { contactActionShape } from './operations/contacts/contact-action.js';
import { importShape } from './operations/contacts/import.js';
import { deliveryStatuses } from './operations/dispatcher/delivery.js';
import { replayStatuses } from './operations/dispatcher/replay.js';
import { timestamp } from './text.js';

/**
 * Changes of one message: more are left out, and the message says so. A subscription that selects all fields of all of them costs
 * no more than an event may.
 */
export const activityMax = {
  deliveries: 25,
  webhooks: 5,
  imports: 5,
  replays: 5,
  contactActions: 5,
} as const;

export const circuitStates = ['open', 'closed'] as const;

const count = (description: string) => z.int().meta({ description });

/** What changed in a workspace, each with its newest state. */
export const activityChanges = {
  deliveries: z.object({
    id: idSchema('delivery'),
    eventId: idSchema('event'),
    webhookId: idSchema('webhook'),
    status: z.enum(deliveryStatuses),
    statusCode: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the attempt. Null if there was none.' }),
    attemptCount: z.int(),
    at: timestamp.meta({ description: 'When it changed.' }),
  }),
  webhooks: z.object({
    id: idSchema('webhook'),
    circuit: z.enum(circuitStates),
    at: timestamp.meta({ description: 'When it changed.' }),
  }),
  imports: z.object({
    id: idSchema('import'),
    status: importShape.shape.status,
    total: count('Number of rows received.'),
    done: count('Number of rows handled.'),
    created: z.int(),
    updated: z.int(),
    skipped: z.int(),
    failed: z.int(),
  }),
  replays: z.object({
    id: idSchema('replay'),
    webhookId: idSchema('webhook'),
    status: z.enum(replayStatuses).exclude(['dry_run']),
    total: count('Number of deliveries that the replay covers.'),
    done: count('Number of deliveries queued so far.'),
  }),
  contactActions: contactActionShape.pick({
    ...{ id: true, status: true, total: true, examined: true },
    ...{ matched: true, changed: true, unchanged: true, failed: true },
  }),
};

export type ActivityKind = keyof typeof activityChanges;
export type ActivityChange<Kind extends ActivityKind> = z.output<(typeof activityChanges)[Kind]>;
