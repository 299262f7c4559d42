import { uuidOf, type Operations } from '@roster/contracts';
import { each, type Statement } from '@roster/storage';
import type { WebhooksService } from '../service.js';

/**
 * Whether the deliveries of a workspace wait. Dispatchers read it with its webhooks, also one that misses the broadcast. A repeated call
 * changes nothing.
 */
export const setSuspension = ({ bus }: WebhooksService) =>
  each<Operations['webhook-suspensions.set']>(
    async ({ input: { workspaceId, suspended } }, session) => {
      await session.query(suspended ? hold : release, [uuidOf('workspace', workspaceId)]);
      bus.broadcast('webhooks.changed', { workspaceId });
      return { suspended };
    },
  );

const hold: Statement = {
  name: 'webhook-suspensions.hold',
  text: `
    insert into webhooks.suspended_workspaces (workspace_id) values ($1)
    on conflict (workspace_id) do nothing`,
};

const release: Statement = {
  name: 'webhook-suspensions.release',
  text: 'delete from webhooks.suspended_workspaces where workspace_id = $1',
};
