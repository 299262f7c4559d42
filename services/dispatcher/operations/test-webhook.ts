import { encodeId, uuidOf, type Operations } from '@roster/contracts';
import { timeOfId } from '@roster/process';
import { each, type SessionHandler } from '@roster/storage';
import { deliveryId } from '../delivery/delivery.js';
import { enqueueTest } from '../queue/enqueue-test.js';
import { refuseDisabled, requireWebhook } from './require-webhook.js';
import { sampleEvent } from './sample-event.js';
import type { DispatcherService } from '../service.js';

type TestWebhook = Operations['webhooks.test'];

/** Sends a sample event to one webhook, whatever kinds it subscribes to. The body marks it as a test. It is not retried. */
export const testWebhook = ({
  ids,
  partitions,
  queue,
  subscriptions,
}: DispatcherService): SessionHandler<TestWebhook> =>
  each<TestWebhook>(async ({ input, caller }, session) => {
    const { kind } = input;
    const webhook = await requireWebhook(subscriptions, caller, input.webhookId);
    refuseDisabled(webhook);
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const webhookId = uuidOf('webhook', input.webhookId);
    const eventId = ids.next();
    const id = deliveryId(eventId, webhookId);
    const now = new Date();
    const { compact, full } = sampleEvent(kind, caller.workspaceId, now, ids);
    const body = JSON.stringify({ ...compact, test: true });
    const ownBody =
      webhook.payload === 'full' && full ? JSON.stringify({ ...full, test: true }) : null;
    await partitions.ensure(timeOfId(eventId));
    await enqueueTest(session, {
      ...{ workspaceId, id, eventId, webhookId, kind, body, ownBody },
      createdAt: now,
    });
    session.afterCommit(() => queue.due());
    return {
      delivery: {
        id: encodeId('delivery', id),
        webhookId: input.webhookId,
        eventId: encodeId('event', eventId),
        kind,
        status: 'pending',
        reason: null,
        attemptCount: 0,
        createdAt: now.toISOString(),
        completedAt: null,
        nextAttemptAt: now.toISOString(),
      },
    };
  });
