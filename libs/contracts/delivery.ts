import { z } from 'zod';
import { eventKinds } from './event.js';
import { decodeId, idPrefixes, idSchema } from './ids.js';
import { defineOperation } from './operation.js';
import { timestamp } from './text.js';

/** What became of a delivery. `pending` waits for its next attempt. */
export const deliveryStatuses = ['pending', 'delivered', 'dead', 'skipped'] as const;
/** Why an attempt was made. */
export const attemptTriggers = ['event', 'retry', 'manual', 'replay', 'test'] as const;
export const replayStatuses = ['dry_run', 'running', 'completed', 'cancelled'] as const;

const status = z.enum(deliveryStatuses);
const kind = z.enum(eventKinds);
/** A moment as input: ISO 8601 with its offset. */
const moment = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 timestamp' });
const milliseconds = z.number().nullable();

const listedDelivery = z
  .object({
    id: idSchema('delivery'),
    webhookId: idSchema('webhook'),
    eventId: idSchema('event'),
    kind: z.string(),
    status,
    reason: z.string().nullable().meta({ description: 'Why it is dead or was skipped.' }),
    attemptCount: z.int(),
    createdAt: timestamp,
    completedAt: timestamp.nullable(),
    nextAttemptAt: timestamp
      .nullable()
      .meta({ description: 'Null when nothing is to come, or while the webhook is disabled.' }),
  })
  .meta({ id: 'DeliveryListed' });

const attempt = z
  .object({
    number: z.int(),
    trigger: z.enum(attemptTriggers),
    startedAt: timestamp,
    address: z.string().nullable().meta({ description: 'The address connected to.' }),
    statusCode: z.int().nullable(),
    errorClass: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'What went wrong, in a sentence.' }),
    dnsMs: milliseconds.meta({ description: 'Null on a connection that was open already.' }),
    connectMs: milliseconds,
    tlsMs: milliseconds,
    firstByteMs: milliseconds,
    totalMs: z.number(),
    responseHeaders: z.record(z.string(), z.string()),
    responseBody: z.string().meta({ description: 'The first 4 KiB.' }),
  })
  .meta({ id: 'Attempt' });

const delivery = listedDelivery
  .extend({
    payload: z.record(z.string(), z.unknown()).meta({ description: 'The body, as it is sent.' }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery' });

const cursorStart = idPrefixes.delivery.length + 1;

/** Where a delivery stands in its webhook's list: its id without the prefix. Opaque to clients. */
export const deliveryCursor = {
  of: (id: string): string => id.slice(cursorStart),
  /** The delivery's UUID, or undefined when the text is no cursor. */
  uuid: (cursor: string): string | undefined =>
    decodeId('delivery', `${idPrefixes.delivery}_${cursor}`),
};

const cursor = z.string().max(64).optional();

const replay = z
  .object({
    id: idSchema('replay').nullable().meta({ description: 'Null for a dry run.' }),
    webhookId: idSchema('webhook'),
    since: timestamp,
    until: timestamp,
    deliveryStatus: status.nullable(),
    kinds: z.array(z.string()).nullable(),
    total: z.int().meta({ description: 'Deliveries that it covers.' }),
    done: z.int().meta({ description: 'Those of them that are on their way again.' }),
    status: z.enum(replayStatuses),
    createdAt: timestamp,
  })
  .meta({ id: 'Replay' });

const hour = z
  .object({
    hour: timestamp.meta({ description: 'Its beginning.' }),
    attempts: z.int(),
    successes: z.int(),
    failures: z.int(),
    p50Ms: milliseconds,
    p95Ms: milliseconds,
  })
  .meta({ id: 'WebhookHour' });

const webhookId = idSchema('webhook');
const deliveryId = idSchema('delivery');
const replayId = idSchema('replay');
const tag = 'Deliveries';

export const deliveryOperations = {
  'deliveries.list': defineOperation({
    name: 'deliveries.list',
    summary: 'List the deliveries of a webhook, newest first',
    service: 'dispatcher',
    access: 'read',
    http: {
      method: 'GET',
      path: '/v1/webhooks/{webhookId}/deliveries',
      status: 200,
      scope: 'user',
      tag,
    },
    input: z.strictObject({
      webhookId,
      status: status.optional(),
      kind: kind.optional(),
      since: moment.optional().meta({ description: 'Of events at or after this moment.' }),
      until: moment.optional().meta({ description: 'Of events before this moment.' }),
      limit: z
        .int()
        .min(1)
        .default(50)
        .transform((limit) => Math.min(limit, 100))
        .meta({ description: 'How many to return; more than 100 is applied as 100.' }),
      after: cursor.meta({ description: 'Cursor: only what comes after it, which is older.' }),
      before: cursor.meta({ description: 'Cursor: only what comes before it, which is newer.' }),
      from: z.enum(['newest', 'oldest']).default('newest').meta({
        description: 'The end that the page is taken from. It stands newest first all the same.',
      }),
    }),
    output: z.object({
      deliveries: z.array(listedDelivery),
      pagination: z.object({
        limit: z.int(),
        next: z.string().nullable().meta({
          description: 'Cursor of the next page, for `after`; null on the last.',
        }),
        previous: z.string().nullable().meta({
          description:
            'Cursor of the page before, for `before` with `from=oldest`; null on the first.',
        }),
      }),
    }),
    faults: ['not_found'],
  }),
  'deliveries.get': defineOperation({
    name: 'deliveries.get',
    summary: 'Get a delivery with its payload and every attempt',
    service: 'dispatcher',
    access: 'read',
    http: { method: 'GET', path: '/v1/deliveries/{deliveryId}', status: 200, scope: 'user', tag },
    input: z.strictObject({ deliveryId }),
    output: z.object({ delivery }),
    faults: ['not_found'],
  }),
  'deliveries.retry': defineOperation({
    name: 'deliveries.retry',
    summary: 'Send a delivery again now, whatever became of it',
    service: 'dispatcher',
    access: 'write',
    http: {
      method: 'POST',
      path: '/v1/deliveries/{deliveryId}/retry',
      status: 202,
      scope: 'user',
      tag,
    },
    input: z.strictObject({ deliveryId }),
    output: z.object({ delivery: listedDelivery }),
    faults: ['not_found', 'conflict'],
  }),
  'webhooks.test': defineOperation({
    name: 'webhooks.test',
    summary: 'Send a sample event to a webhook, once',
    service: 'dispatcher',
    access: 'write',
    http: {
      method: 'POST',
      path: '/v1/webhooks/{webhookId}/test',
      status: 202,
      scope: 'user',
      tag,
    },
    input: z.strictObject({ webhookId, kind }),
    output: z.object({ delivery: listedDelivery }),
    faults: ['not_found', 'conflict'],
  }),
  'webhooks.stats': defineOperation({
    name: 'webhooks.stats',
    summary: 'How a webhook fared, by the hour, in the last 7 days',
    service: 'dispatcher',
    access: 'read',
    http: {
      method: 'GET',
      path: '/v1/webhooks/{webhookId}/stats',
      status: 200,
      scope: 'user',
      tag,
    },
    input: z.strictObject({ webhookId }),
    output: z.object({ stats: z.object({ hours: z.array(hour) }) }),
    faults: ['not_found'],
  }),
  'replays.create': defineOperation({
    name: 'replays.create',
    summary: 'Send the deliveries of a time once more',
    service: 'dispatcher',
    access: 'write',
    http: {
      method: 'POST',
      path: '/v1/webhooks/{webhookId}/replays',
      status: 202,
      statusWhen: { field: 'dryRun', status: 200 },
      scope: 'user',
      tag,
    },
    input: z
      .strictObject({
        webhookId,
        since: moment,
        until: moment.optional().meta({ description: 'Now, when absent.' }),
        status: status.optional().meta({ description: 'Only deliveries in this state.' }),
        kinds: z.array(kind).min(1).optional(),
        dryRun: z.boolean().default(false).meta({ description: 'Only count.' }),
      })
      .refine(({ since, until }) => until === undefined || Date.parse(since) < Date.parse(until), {
        path: ['until'],
        error: 'must be after `since`',
      }),
    output: z.object({ replay }),
    faults: ['not_found', 'conflict'],
  }),
  'replays.get': defineOperation({
    name: 'replays.get',
    summary: 'How far a replay is',
    service: 'dispatcher',
    access: 'read',
    http: { method: 'GET', path: '/v1/replays/{replayId}', status: 200, scope: 'user', tag },
    input: z.strictObject({ replayId }),
    output: z.object({ replay }),
    faults: ['not_found'],
  }),
  'replays.cancel': defineOperation({
    name: 'replays.cancel',
    summary: 'Stop a replay; what is on its way again stays so',
    service: 'dispatcher',
    access: 'write',
    http: {
      method: 'POST',
      path: '/v1/replays/{replayId}/cancel',
      status: 200,
      scope: 'user',
      tag,
    },
    input: z.strictObject({ replayId }),
    output: z.object({ replay }),
    faults: ['not_found'],
  }),
};
