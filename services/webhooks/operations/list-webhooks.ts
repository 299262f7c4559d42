import type { Handler } from '@roster/bus';
import { uuidOf, type Operations } from '@roster/contracts';
import type { WebhooksService } from '../service.js';
import { Webhook } from '../entities/webhook.entity.js';
import { listedShape } from '../webhook.js';

/** Runs one query per batch. Returns the webhooks of each workspace in the order of their creation. */
export const listWebhooks =
  ({ database }: WebhooksService): Handler<Operations['webhooks.list']> =>
  async (calls) => {
    const requested = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    const found = await database.em.find(
      Webhook,
      { workspaceId: { $in: [...new Set(requested)] } },
      { orderBy: { id: 'asc' } },
    );
    const byWorkspace = Map.groupBy(found, ({ workspaceId }) => workspaceId);
    return requested.map((workspaceId) => ({
      webhooks: (byWorkspace.get(workspaceId) ?? []).map(listedShape),
    }));
  };
