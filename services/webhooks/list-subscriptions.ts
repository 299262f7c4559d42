import { internal, type Handler } from '@roster/bus';
import { encodeId, uuidOf, type Operations } from '@roster/contracts';
import type { Statement } from '@roster/service';
import type { WebhooksService } from './service.js';
import { tokenBinding } from './webhook.js';

/** What the dispatcher needs to send the events of its workspaces: one statement for the batch, tokens decrypted. */
export const listSubscriptions =
  ({ database, cipher }: WebhooksService): Handler<Operations['webhooks.subscriptions']> =>
  async (calls) => {
    const asked = calls.map(({ input }) => uuidOf('workspace', input.workspaceId));
    const rows = await database.query<SubscriptionRow>(select, [[...new Set(asked)]]);
    const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id);
    return asked.map((workspaceId) => {
      try {
        return { subscriptions: (byWorkspace.get(workspaceId) ?? []).map(subscriptionOf) };
      } catch (error) {
        // Leaving out the one webhook whose token cannot be read would lose its events.
        return internal(error);
      }
    });

    function subscriptionOf({
      workspace_id,
      id,
      url,
      events,
      token_ciphertext,
      disabled_reason,
    }: SubscriptionRow) {
      return {
        id: encodeId('webhook', id),
        url,
        events,
        token: cipher.decrypt(token_ciphertext, tokenBinding({ workspaceId: workspace_id, id })),
        disabledReason: disabled_reason,
      };
    }
  };

interface SubscriptionRow {
  workspace_id: string;
  id: string;
  url: string;
  events: string[];
  token_ciphertext: string;
  disabled_reason: string | null;
}

const select: Statement = {
  name: 'webhooks.subscriptions',
  text: `
    select workspace_id, id, url, events, token_ciphertext, disabled_reason
    from webhooks.webhooks where workspace_id = any ($1::uuid[]) order by workspace_id, id`,
};
