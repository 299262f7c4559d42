import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import type { Call } from '@roster/bus';
import {
  notFound,
  uuidOf,
  type AuditAction,
  type Operations,
  type OutputOf,
  type StreamPosition,
} from '@roster/contracts';
import { makeEvent, type AuditedCall, type AuditedChange, type Session } from '@roster/storage';
import { auditLog, tokenRead, type WebhooksService } from './service.js';
import { Webhook } from './entities/webhook.entity.js';
import { auditedWebhook, requireWebhookMatch, webhookOfEvent, webhookShape } from './webhook.js';

/** Changes a locked webhook. What it returns is added to the new state in the audit log. */
type Change = (webhook: Webhook) => Record<string, unknown> | void | undefined;

/**
 * Changes one webhook of the caller's workspace, records and broadcasts the change, and returns its new state.
 *
 * @throws Fault `not_found`; `precondition_failed`; `rate_limited`; `unavailable` when the key of its token is missing here; `conflict` when it
 *   has a token that cannot be decrypted and is not replaced: nothing is changed then
 */
export function changeWebhook(
  service: WebhooksService,
  session: Session,
  call: Call<{ webhookId: string }>,
  action: AuditAction,
  change: Change,
): Promise<OutputOf<Operations['webhooks.update']>> {
  const { workspaceId } = call.caller;
  const { webhookId } = call.input;
  return session.transaction(async (inner) => {
    const { webhook, isRecorded } = await writeWebhook(
      service,
      inner,
      { ...call, input: { workspaceId, webhookId } },
      { action },
      (webhook) => {
        requireWebhookMatch(call, webhook);
        return change(webhook);
      },
    );
    // The response contains the token.
    const [refusal] = isRecorded
      ? []
      : await auditLog.recordReads(inner, [tokenRead(call, webhookId)]);
    if (refusal) throw refusal;
    return { webhook: webhookShape(webhook, service) };
  });
}

/**
 * As `changeWebhook`, within a transaction and without decrypting the token. Disabling it is an event, whatever caused it.
 *
 * @returns the webhook, and whether a change was recorded
 *
 * @throws Fault `not_found`
 */
export async function writeWebhook(
  service: WebhooksService,
  session: Session,
  call: AuditedCall & { input: { workspaceId: string; webhookId: string } },
  audited: Pick<AuditedChange, 'action' | 'isAutomatic'>,
  change: Change,
): Promise<{ webhook: Webhook; isRecorded: boolean }> {
  const { workspaceId, webhookId } = call.input;
  const key = {
    workspaceId: uuidOf('workspace', workspaceId),
    id: uuidOf('webhook', webhookId),
  };
  // Locked, so that the answer shows what simultaneous changes of other fields left.
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const webhook = await session.em.findOne(Webhook, key, lock);
  if (!webhook) throw notFound('webhook');
  const before = auditedWebhook(webhook);
  const wasEnabled = webhook.disabledReason === null;
  const more = change(webhook);
  await session.em.flush();
  const after = { ...auditedWebhook(webhook), ...more };
  // A token is not part of these states.
  const isRecorded =
    audited.action === 'webhook.token_rotated' || !isDeepStrictEqual(before, after);
  if (isRecorded) {
    const states = { resourceId: webhookId, workspaceId, before, after };
    await auditLog.record(session, call, { ...audited, ...states });
  }
  if (wasEnabled && webhook.disabledReason !== null) {
    const { ids, outbox } = service;
    const data = webhookOfEvent(webhook);
    await outbox.add(session, [makeEvent(ids, key.workspaceId, 'WEBHOOK_DISABLED', data)]);
  }
  broadcastChange(service, session, workspaceId);
  return { webhook, isRecorded };
}

/** Broadcasts after the commit and before the answer, so that the next event is matched against the new state. */
export function broadcastChange(
  { bus }: WebhooksService,
  session: Session,
  workspaceId: string,
): void {
  session.afterCommit(() => bus.broadcast('webhooks.changed', { workspaceId }));
}

/**
 * The end of the stream of events: the events up to it precede a change that is committed afterwards, and an event of a later
 * change is published at a later position. Null if JetStream does not answer; the time of the change must suffice then.
 */
export async function endOfStream({
  bus,
  log,
}: Pick<WebhooksService, 'bus' | 'log'>): Promise<StreamPosition | null> {
  try {
    return await bus.streamPosition();
  } catch (error) {
    log.warn({ err: error }, 'failed to read the end of the stream; using the time instead');
    return null;
  }
}

/**
 * Stores the position of a time of the webhook, and drops those of times that it no longer has.
 */
export function keepPosition(webhook: Webhook, at: Date, position: StreamPosition | null): void {
  const { createdAt, disabledAt, enabledAt, subscribedAt, positions } = webhook;
  const times = [createdAt, disabledAt, enabledAt].map((time) => time?.toISOString());
  const inUse = new Set([...times, ...Object.values(subscribedAt)]);
  // The earlier position of two changes in the same millisecond is kept: in case of doubt, an event is delivered.
  const all = { ...(position && { [at.toISOString()]: position }), ...positions };
  webhook.positions = Object.fromEntries(Object.entries(all).filter(([time]) => inUse.has(time)));
}
