import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import type { Call } from '@roster/bus';
import {
  notFound,
  uuidOf,
  type AuditAction,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { AuditedCall, AuditedChange, Session } from '@roster/storage';
import { auditLog, tokenRead } from './audit-log.js';
import { broadcastChange } from './broadcast-change.js';
import type { WebhooksService } from './service.js';
import { Webhook } from './entities/webhook.entity.js';
import { auditedWebhook, requireWebhookMatch, webhookShape } from './webhook.js';

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
  change: (webhook: Webhook) => void,
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
        change(webhook);
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
 * As `changeWebhook`, within a transaction and without decrypting the token.
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
  change: (webhook: Webhook) => void,
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
  change(webhook);
  await session.em.flush();
  const after = auditedWebhook(webhook);
  // A token is not part of these states.
  const isRecorded =
    audited.action === 'webhook.token_rotated' || !isDeepStrictEqual(before, after);
  if (isRecorded) {
    const states = { resourceId: webhookId, workspaceId, before, after };
    await auditLog.record(session, call, { ...audited, ...states });
  }
  broadcastChange(service, session, workspaceId);
  return { webhook, isRecorded };
}
