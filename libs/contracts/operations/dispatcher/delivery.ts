import { z } from 'zod';
import { eventKinds, eventKindsInput } from '../../event.js';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { cursorInput, idCursor, limitInput } from '../../page.js';
import { inputTimestamp, timestamp } from '../../text.js';

/** Status of a delivery. `pending`: waiting for the next attempt. */
export const deliveryStatuses = ['pending', 'delivered', 'dead', 'skipped'] as const;
/** What triggered an attempt. */
export const attemptTriggers = ['event', 'retry', 'manual', 'replay', 'test'] as const;

const status = z.enum(deliveryStatuses);
const kind = z.enum(eventKinds);
const milliseconds = z.number().nullable();

const subject = z
  .object({ contactId: idSchema('contact'), email: z.string() })
  .meta({ id: 'DeliverySubject' });

export const listedDelivery = z
  .object({
    id: idSchema('delivery'),
    webhookId: idSchema('webhook'),
    eventId: idSchema('event'),
    kind: z.string(),
    status,
    reason: z.string().nullable().meta({ description: 'Why the delivery is dead or was skipped.' }),
    attemptCount: z.int(),
    createdAt: timestamp,
    completedAt: timestamp.nullable(),
    nextAttemptAt: timestamp.nullable().meta({
      description: 'Null when no further attempt is scheduled, or while the webhook is disabled.',
    }),
    subject: subject.nullable().meta({
      description:
        'The contact that the event is about, as it was then. Null for events of other kinds.',
    }),
    lastStatusCode: z.int().nullable().meta({
      description: 'HTTP status of the last attempt. Null if there was none, or no response.',
    }),
    lastError: z.string().nullable().meta({
      description: 'Why the last attempt failed. Null if there was none, or if it succeeded.',
    }),
    lastTotalMs: milliseconds.meta({ description: 'Duration of the last attempt.' }),
  })
  .meta({ id: 'DeliveryListed' });

const attempt = z
  .object({
    number: z.int(),
    trigger: z.enum(attemptTriggers),
    startedAt: timestamp,
    address: z
      .string()
      .nullable()
      .meta({ description: 'IP address that the request was sent to.' }),
    statusCode: z.int().nullable(),
    errorClass: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'Human-readable error message.' }),
    dnsMs: milliseconds.meta({ description: 'Null when the connection was reused.' }),
    connectMs: milliseconds,
    tlsMs: milliseconds,
    firstByteMs: milliseconds,
    totalMs: z.number(),
    responseHeaders: z.record(z.string(), z.string()),
    responseBody: z.string().meta({ description: 'First 4 KiB of the response body.' }),
    // Optional until 0.4.0: 0.2.0 does not send it.
    traceId: z.string().nullable().optional().meta({
      description: 'ID of the trace of the request that caused the event, if it was traced.',
    }),
  })
  .meta({ id: 'Attempt' });

const delivery = listedDelivery
  .extend({
    payload: z.record(z.string(), z.unknown()).meta({ description: 'Request body, as sent.' }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery' });

/** Position of a delivery in the list of its webhook. */
export const deliveryCursor = idCursor('delivery');

const webhookId = idSchema('webhook');
const deliveryId = idSchema('delivery');
const tag = 'Deliveries';

/** Number of hours that begin within 7 days, of which the first and the last may be incomplete. */
export const statsHoursMax = 7 * 24 + 1;

const hour = z
  .object({
    hour: timestamp.meta({ description: 'Start of the hour.' }),
    attempts: z.int(),
    successes: z.int(),
    failures: z.int(),
    p50Ms: milliseconds,
    p95Ms: milliseconds,
  })
  .meta({ id: 'WebhookHour' });

/** Filters of both lists of deliveries, beside those of the status and the kind. */
const filter = {
  statusCode: z
    .string()
    .regex(/^(?:[1-5]\d\d|[1-5]xx|none)$/, 'must be an HTTP status, a class such as 4xx, or none')
    .optional()
    .meta({
      description:
        'Only deliveries whose last attempt was answered with this HTTP status, such as `404`, or one of its class, such as `4xx`. `none`: without a response.',
    }),
  contactId: idSchema('contact')
    .optional()
    .meta({ description: 'Only deliveries of events about this contact.' }),
  since: inputTimestamp
    .optional()
    .meta({ description: 'Only deliveries of events at or after this time.' }),
  until: inputTimestamp
    .optional()
    .meta({ description: 'Only deliveries of events before this time.' }),
};

const page = {
  limit: limitInput(
    'deliveries',
    'With a filter other than the time, a page may contain fewer deliveries, or none, although further pages follow.',
  ),
  after: cursorInput.meta({ description: 'Cursor: only deliveries older than this one.' }),
  before: cursorInput.meta({ description: 'Cursor: only deliveries newer than this one.' }),
  from: z.enum(['newest', 'oldest']).default('newest').meta({
    description:
      'End of the list from which the page is taken. The page itself is always ordered newest first.',
  }),
};

const pagination = z.object({
  limit: z.int(),
  next: z.string().nullable().meta({
    description: 'Cursor of the next page, for `after`; null on the last page.',
  }),
  previous: z.string().nullable().meta({
    description:
      'Cursor of the previous page, for `before` with `from=oldest`; null on the first page.',
  }),
});

/** Deliveries that are counted for the totals; with `statusCode` or `contactId`, whose rows are looked into, fewer. */
export const countedDeliveriesMax = { plain: 10_000, lookedInto: 1000 } as const;

const totals = z
  .object({
    pending: z.int(),
    delivered: z.int(),
    dead: z.int(),
    skipped: z.int(),
    isEstimate: z.boolean().meta({
      description:
        'Whether there are more deliveries than are counted: the newest 10,000, and the newest 10,000 that are not delivered; with `statusCode` or `contactId`, 1,000. The numbers are then at least these.',
    }),
  })
  .meta({ id: 'DeliveryTotals' });

/** Webhooks of one request for their health, and their hours together. */
export const healthWebhooksMax = 100;
export const healthHoursMax = 5000;
const hourMs = 3_600_000;

const health = z
  .object({
    webhookId,
    attempts: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    p50Ms: milliseconds.meta({ description: 'Median of the durations of all attempts.' }),
    p95Ms: milliseconds.meta({
      description: '95th percentile of the durations of all attempts of the period.',
    }),
    hours: z
      .array(
        z
          .object({
            hour: timestamp.meta({ description: 'Start of the hour.' }),
            succeeded: z.int(),
            failed: z.int(),
            p95Ms: milliseconds,
          })
          .meta({ id: 'WebhookHealthHour' }),
      )
      .meta({ maxItems: statsHoursMax, description: 'Hours with at least one attempt.' }),
  })
  .meta({ id: 'WebhookHealth' });

/** Number of hours of a period that can have statistics. */
function hoursIn({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  const end = Math.min(Date.now(), until === undefined ? Infinity : Date.parse(until));
  const start = since === undefined ? end - 24 * hourMs : Date.parse(since);
  return Math.min(statsHoursMax, Math.ceil((end - start) / hourMs) + 1);
}

export const deliveryOperations = {
  'deliveries.list': defineOperation({
    name: 'deliveries.list',
    summary: 'List the deliveries of a webhook, newest first',
    service: 'dispatcher',
    access: 'read',
    scope: 'user',
    resource: 'webhook',
    tag,
    http: { method: 'GET', path: '/v1/webhooks/{webhookId}/deliveries', status: 200 },
    input: z.strictObject({
      webhookId,
      status: status.optional(),
      kind: kind.optional(),
      ...filter,
      ...page,
    }),
    output: z.object({ deliveries: z.array(listedDelivery), pagination }),
    faults: ['not_found'],
  }),
  'workspace-deliveries.list': defineOperation({
    name: 'workspace-deliveries.list',
    summary: 'List the deliveries of all webhooks, newest first',
    service: 'dispatcher',
    searches: true,
    access: 'read',
    scope: 'user',
    tag,
    http: { method: 'GET', path: '/v1/deliveries', status: 200 },
    input: z.strictObject({
      webhookId: webhookId
        .optional()
        .meta({ description: 'Only deliveries to this webhook, also if it was deleted.' }),
      status: z
        .array(status)
        .min(1)
        .max(deliveryStatuses.length)
        .overwrite((statuses) => [...new Set(statuses)])
        .optional()
        .meta({ description: 'Only deliveries with one of these statuses.' }),
      kind: eventKindsInput
        .optional()
        .meta({ description: 'Only deliveries of events of these kinds.' }),
      ...filter,
      totals: z.boolean().default(false).meta({
        description:
          'Whether to count the deliveries by status. The totals are of all deliveries that match the filters other than `status`.',
      }),
      ...page,
    }),
    output: z.object({
      deliveries: z.array(listedDelivery),
      totals: totals.nullable().meta({ description: 'Null unless requested with `totals`.' }),
      pagination,
    }),
    faults: [],
  }),
  'deliveries.get': defineOperation({
    name: 'deliveries.get',
    summary: 'Get a delivery with its payload and all attempts',
    service: 'dispatcher',
    access: 'read',
    scope: 'user',
    resource: 'delivery',
    tag,
    http: {
      method: 'GET',
      path: '/v1/deliveries/{deliveryId}',
      status: 200,
      etag: { maintained: [] },
    },
    input: z.strictObject({ deliveryId }),
    output: z.object({ delivery }),
    faults: ['not_found'],
  }),
  'deliveries.retry': defineOperation({
    name: 'deliveries.retry',
    summary: 'Retry a delivery immediately, whatever its status',
    service: 'dispatcher',
    access: 'write',
    scope: 'user',
    resource: 'delivery',
    audited: true,
    tag,
    http: { method: 'POST', path: '/v1/deliveries/{deliveryId}/retry', status: 202 },
    input: z.strictObject({ deliveryId }),
    output: z.object({ delivery: listedDelivery }),
    faults: ['not_found', 'conflict'],
  }),
  'webhooks.test': defineOperation({
    name: 'webhooks.test',
    summary: 'Send a test event to a webhook',
    service: 'dispatcher',
    access: 'write',
    scope: 'user',
    resource: 'webhook',
    tag,
    http: { method: 'POST', path: '/v1/webhooks/{webhookId}/test', status: 202 },
    input: z.strictObject({ webhookId, kind }),
    output: z.object({ delivery: listedDelivery }),
    faults: ['not_found', 'conflict'],
  }),
  'webhooks.stats': defineOperation({
    name: 'webhooks.stats',
    summary: 'Get hourly delivery statistics of a webhook for the last 7 days',
    service: 'dispatcher',
    access: 'read',
    scope: 'user',
    resource: 'webhook',
    tag: 'Deliveries',
    http: { method: 'GET', path: '/v1/webhooks/{webhookId}/stats', status: 200 },
    input: z.strictObject({ webhookId: idSchema('webhook') }),
    output: z.object({
      stats: z.object({ hours: z.array(hour).meta({ maxItems: statsHoursMax }) }),
    }),
    faults: ['not_found'],
  }),
  'webhook-health.get': defineOperation({
    name: 'webhook-health.get',
    summary: 'Get the statistics of webhooks over a period',
    service: 'dispatcher',
    access: 'read',
    scope: 'user',
    tag: 'Deliveries',
    http: { method: 'GET', path: '/v1/webhook-health', status: 200 },
    input: z
      .strictObject({
        webhookIds: z
          .array(webhookId)
          .min(1)
          .max(healthWebhooksMax)
          .overwrite((all) => [...new Set(all)])
          .optional()
          .meta({
            description:
              'IDs of the webhooks. Repeat it for several. Defaults to those with recent attempts: the oldest 100.',
          }),
        since: inputTimestamp.optional().meta({
          description:
            'Begins with the hour of this time, at most 7 days ago. Defaults to 24 hours before `until`.',
        }),
        until: inputTimestamp.optional().meta({
          description:
            'Ends before the hour of this time. Defaults to the current time, inclusive.',
        }),
      })
      .refine(
        ({ since, until }) =>
          since === undefined || until === undefined || Date.parse(since) < Date.parse(until),
        { path: ['until'], error: 'must be after `since`' },
      )
      .refine(
        (input) =>
          (input.webhookIds?.length ?? healthWebhooksMax) * hoursIn(input) <= healthHoursMax,
        {
          path: ['since'],
          error: 'must be later: the hours of all webhooks together must be at most 5,000',
        },
      ),
    output: z.object({ webhooks: z.array(health).meta({ maxItems: healthWebhooksMax }) }),
    faults: [],
  }),
};
