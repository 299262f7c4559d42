import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { timestamp } from '../../text.js';

/** Number of hours that begin within 7 days, of which the first and the last may be incomplete. */
export const statsHoursMax = 7 * 24 + 1;

const milliseconds = z.number().nullable();

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

export const webhookStatsOperations = {
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
};
