import { z } from 'zod';
import { webhookPayloads } from '../../event-details.js';
import { streamPosition } from '../../event.js';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { text, timestamp } from '../../text.js';

const workspaceId = idSchema('workspace');
const webhookId = idSchema('webhook');

/** Operations by which the dispatcher reads the subscriptions of webhooks, and reports how their deliveries end. */
export const webhookSubscriptionOperations = {
  'webhooks.subscriptions': defineOperation({
    name: 'webhooks.subscriptions',
    summary: 'List the webhook subscriptions of a workspace, with their tokens, for the dispatcher',
    service: 'webhooks',
    access: 'read',
    calledBy: ['dispatcher'],
    input: z.strictObject({ workspaceId }),
    output: z.object({
      subscriptions: z.array(
        z.object({
          id: webhookId,
          url: z.string(),
          events: z.array(z.string()),
          payload: z.enum(webhookPayloads),
          /** Null if it or the previous token cannot be decrypted. Deliveries wait until both can be. */
          token: z.string().nullable(),
          /** Further headers of its deliveries. Null if they cannot be decrypted: its deliveries wait. */
          headers: z.record(z.string(), z.string()).nullable().optional(),
          /** Maximum number of attempts per second. */
          ratePerSecond: z.int().nullable().optional(),
          /** A `WebhookFilter`, whose conditions a later release may extend. */
          filter: z.record(z.string(), z.unknown()).nullable().optional(),
          /** When the filter was last changed: earlier events may not match it. */
          filterChangedAt: timestamp.nullable().optional(),
          /** Whether its deliveries carry the trace context of their events. */
          traceContext: z.boolean().optional(),
          /** Whether the workspace is suspended: its deliveries wait, and the token is null. */
          isHeld: z.boolean().optional(),
          /** The token before the last rotation. Deliveries are also signed with it until the given time. */
          previousToken: z.object({ token: z.string(), until: timestamp }).nullable(),
          /** Events of a disabled webhook are recorded as skipped, with this reason. */
          disabledReason: z.string().nullable(),
          createdAt: timestamp.optional(),
          /** When kinds were added after the creation, by kind. Earlier events of such a kind are not delivered. */
          subscribedAt: z.record(z.string(), timestamp).optional(),
          /** When it was last disabled, and enabled again. Events of this period are recorded as skipped. */
          lastDisabled: z.object({ from: timestamp, until: timestamp }).nullable().optional(),
          /** The end of the stream shortly before each of these times was stored, by time, as far as it is known. */
          positions: z.record(z.string(), streamPosition).optional(),
        }),
      ),
    }),
    faults: [],
  }),
  'webhook-suspensions.set': defineOperation({
    name: 'webhook-suspensions.set',
    summary: 'Hold the deliveries of a workspace that is suspended, or release them',
    service: 'webhooks',
    access: 'write',
    calledBy: ['users'],
    input: z.strictObject({ workspaceId, suspended: z.boolean() }),
    output: z.object({ suspended: z.boolean() }),
    faults: [],
  }),
  'webhooks.shut-off': defineOperation({
    name: 'webhooks.shut-off',
    summary: 'Disable a webhook whose receiver answered 410',
    service: 'webhooks',
    access: 'write',
    calledBy: ['dispatcher'],
    resource: 'webhook',
    input: z.strictObject({ workspaceId, webhookId, reason: text(1, 256) }),
    output: z.object({ disabled: z.literal(true) }),
    faults: ['not_found'],
  }),
  'webhooks.report-health': defineOperation({
    name: 'webhooks.report-health',
    summary: 'Report the health of a webhook; disables it after days of consecutive failures',
    service: 'webhooks',
    access: 'write',
    calledBy: ['dispatcher'],
    resource: 'webhook',
    input: z.strictObject({
      workspaceId,
      webhookId,
      lastSuccessAt: timestamp.nullable(),
      lastFailureAt: timestamp.nullable(),
      /** First failure since the last success, as observed by this dispatcher. */
      failingSince: timestamp.nullable(),
    }),
    output: z.object({ disabled: z.boolean() }),
    faults: ['not_found'],
  }),
};
