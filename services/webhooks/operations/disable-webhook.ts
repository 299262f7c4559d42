import type { Operations, StreamPosition } from '@roster/contracts';
import { each, type AuditedCall, type Session } from '@roster/storage';
import { changeWebhook, writeWebhook, endOfStream, keepPosition } from '../change-webhook.js';
import type { WebhooksService } from '../service.js';
import type { Webhook } from '../entities/webhook.entity.js';

export const disableWebhook = (service: WebhooksService) =>
  each<Operations['webhooks.disable']>(async (call, session) => {
    const position = await endOfStream(service);
    return changeWebhook(service, session, call, 'webhook.disabled', (webhook) =>
      disable(webhook, 'Disabled by a user.', position),
    );
  });

interface AutomaticDisabling {
  call: AuditedCall & { input: { workspaceId: string; webhookId: string } };
  reason: string;
  /** Whether to disable the webhook in its current state. */
  applies?: (webhook: Webhook) => boolean;
}

/**
 * Disables a webhook without a request for that. A token that cannot be decrypted does not prevent it.
 *
 * @returns whether this call has disabled it
 *
 * @throws Fault `not_found`
 */
export async function disableAutomatically(
  service: WebhooksService,
  session: Session,
  { call, reason, applies = () => true }: AutomaticDisabling,
): Promise<boolean> {
  const position = await endOfStream(service);
  const audited = { action: 'webhook.disabled', isAutomatic: true } as const;
  return session.transaction(async (inner) => {
    const { isRecorded } = await writeWebhook(service, inner, call, audited, (webhook) => {
      if (applies(webhook)) disable(webhook, reason, position);
    });
    return isRecorded;
  });
}

/** The first reason is kept. */
function disable(webhook: Webhook, reason: string, position: StreamPosition | null): void {
  if (webhook.disabledReason !== null) return;
  webhook.disabledReason = reason;
  webhook.disabledAt = new Date();
  keepPosition(webhook, webhook.disabledAt, position);
}

export const shutOffWebhook = (service: WebhooksService) =>
  each<Operations['webhooks.shut-off']>(async (call, session) => {
    await disableAutomatically(service, session, { call, reason: call.input.reason });
    return { disabled: true };
  });
