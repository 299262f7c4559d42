import type { Session } from '@roster/service/storage';
import type { WebhooksService } from './service.js';

/** Dispatchers are told once the change is committed, and before its caller is: the next event goes by the new state. */
export function broadcastChange(
  { bus }: WebhooksService,
  session: Session,
  workspaceId: string,
): void {
  session.afterCommit(() => bus.broadcast('webhooks.changed', { workspaceId }));
}
