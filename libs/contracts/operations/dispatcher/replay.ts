import { z } from 'zod';
import { deliveryStatuses } from './delivery.js';
import { eventKindsInput } from '../../event.js';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { inputTimestamp, timestamp } from '../../text.js';

export const replayStatuses = ['dry_run', 'running', 'completed', 'cancelled'] as const;

const deliveryStatus = z.enum(deliveryStatuses);

const replay = z
  .object({
    id: idSchema('replay').nullable().meta({ description: 'Null for a dry run.' }),
    webhookId: idSchema('webhook'),
    since: timestamp,
    until: timestamp,
    deliveryStatus: deliveryStatus.nullable(),
    kinds: z.array(z.string()).nullable(),
    total: z.int().meta({ description: 'Number of deliveries that the replay covers.' }),
    done: z.int().meta({ description: 'Number of deliveries queued so far.' }),
    status: z.enum(replayStatuses),
    createdAt: timestamp,
  })
  .meta({ id: 'Replay' });

/** Position of a replay in the order of creation. */
export const replayCursor = idCursor('replay');

const one = z.object({ replay });
const replayId = idSchema('replay');
const tag = 'Deliveries';

export const replayOperations = {
  'replays.create': defineOperation({
    name: 'replays.create',
    summary: 'Replay deliveries in a time range',
    service: 'dispatcher',
    access: 'write',
    scope: 'user',
    resource: 'webhook',
    audited: true,
    tag,
    http: {
      method: 'POST',
      path: '/v1/webhooks/{webhookId}/replays',
      status: 202,
      statusWhen: { field: 'dryRun', status: 200 },
    },
    input: z
      .strictObject({
        webhookId: idSchema('webhook'),
        since: inputTimestamp,
        until: inputTimestamp.optional().meta({ description: 'Defaults to the current time.' }),
        status: deliveryStatus
          .optional()
          .meta({ description: 'Only deliveries with this status.' }),
        kinds: eventKindsInput.optional(),
        dryRun: z
          .boolean()
          .default(false)
          .meta({ description: 'Count the matching deliveries without sending them.' }),
      })
      .refine(({ since, until }) => until === undefined || Date.parse(since) < Date.parse(until), {
        path: ['until'],
        error: 'must be after `since`',
      }),
    output: one,
    faults: ['not_found', 'conflict'],
  }),
  'replays.list': defineOperation({
    name: 'replays.list',
    summary: 'List replays, newest first',
    service: 'dispatcher',
    access: 'read',
    scope: 'user',
    tag,
    http: { method: 'GET', path: '/v1/replays', status: 200 },
    input: z.strictObject({
      webhookId: idSchema('webhook')
        .optional()
        .meta({ description: 'Only replays of this webhook, also if it was deleted.' }),
      limit: limitInput(
        'replays',
        'With `webhookId`, a page may contain fewer replays, or none, although further pages follow.',
      ),
      after: afterInput,
    }),
    output: z.object({ replays: z.array(replay), pagination: forwardPagination }),
    faults: [],
  }),
  'replays.get': defineOperation({
    name: 'replays.get',
    summary: 'Get the progress of a replay',
    service: 'dispatcher',
    access: 'read',
    scope: 'user',
    resource: 'replay',
    tag,
    http: { method: 'GET', path: '/v1/replays/{replayId}', status: 200, etag: { maintained: [] } },
    input: z.strictObject({ replayId }),
    output: one,
    faults: ['not_found'],
  }),
  'replays.cancel': defineOperation({
    name: 'replays.cancel',
    summary: 'Cancel a replay; deliveries already queued are still sent',
    service: 'dispatcher',
    access: 'write',
    scope: 'user',
    resource: 'replay',
    audited: true,
    tag,
    http: { method: 'POST', path: '/v1/replays/{replayId}/cancel', status: 200 },
    input: z.strictObject({ replayId }),
    output: one,
    faults: ['not_found'],
  }),
};
