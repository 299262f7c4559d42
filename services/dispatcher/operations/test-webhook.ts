import {
  encodeId,
  uuidOf,
  type EventBody,
  type EventKind,
  type Operations,
} from '@roster/contracts';
import { timeOfId, type IdClock } from '@roster/service';
import { each, type SessionHandler } from '@roster/service/storage';
import { deliveryId } from '../delivery/delivery.js';
import { enqueueTest } from '../queue/enqueue-test.js';
import { refuseDisabled, requireWebhook } from './require-webhook.js';
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
    refuseDisabled(await requireWebhook(subscriptions, caller, input.webhookId));
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const webhookId = uuidOf('webhook', input.webhookId);
    const eventId = ids.next();
    const id = deliveryId(eventId, webhookId);
    const now = new Date();
    const body = JSON.stringify({ ...sample(kind, caller.workspaceId, now, ids), test: true });
    await partitions.ensure(timeOfId(eventId));
    await enqueueTest(session, {
      ...{ workspaceId, id, eventId, webhookId, kind, body },
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

function sample(kind: EventKind, workspaceId: string, now: Date, ids: IdClock): EventBody {
  const person = { email: 'ada@example.com', name: 'Ada Lovelace' };
  const created_at = now.toISOString();
  if (kind === 'WORKSPACE_TEAM_MEMBER_JOINED') {
    const user = { id: encodeId('user', ids.next()), ...person };
    return {
      event: kind,
      created_at,
      data: { workspace: { id: workspaceId, name: 'Sample' }, user },
    };
  }
  const contact = { id: encodeId('contact', ids.next()), ...person, createdAt: created_at };
  return { event: kind, created_at, data: { contact } };
}
