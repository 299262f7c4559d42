import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service/storage';
import { broadcastChange } from './broadcast-change.js';
import type { WebhooksService } from './service.js';

type ShutOffWebhook = Operations['webhooks.shut-off'];

/** The first reason stays. */
export const shutOffWebhook = (service: WebhooksService): SessionHandler<ShutOffWebhook> =>
  each<ShutOffWebhook>(async ({ input }, session) => {
    const { workspaceId, webhookId, reason } = input;
    const ids = [uuidOf('workspace', workspaceId), uuidOf('webhook', webhookId)];
    const disabled = await session.query(disable, [...ids, reason]);
    if (disabled.length === 0) throw notFound('webhook');
    broadcastChange(service, session, workspaceId);
    return { disabled: true };
  });

const disable: Statement = {
  name: 'webhooks.shut-off',
  text: `
    update webhooks.webhooks
    set disabled_reason = coalesce(disabled_reason, $3), updated_at = now()
    where workspace_id = $1 and id = $2
    returning 1`,
};
