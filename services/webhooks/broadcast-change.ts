import type { Session } from '@roster/storage';
import type { WebhooksService } from './service.js';

/** Broadcasts after the commit and before the answer, so that the next event is matched against the new state. */
export function broadcastChange(
  { bus }: WebhooksService,
  session: Session,
  workspaceId: string,
): void {
  session.afterCommit(() => bus.broadcast('webhooks.changed', { workspaceId }));
}
