import type { Handler } from '@roster/bus';
import {
  allKinds,
  encodeId,
  eventKinds,
  uuidOf,
  type Operations,
  type StreamPosition,
  type WebhookPayload,
} from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { WebhooksService } from '../service.js';
import { decryptHeaders } from '../own-headers.js';
import { tokenBinding } from '../webhook.js';

/** Returns what the dispatcher needs to deliver the events of workspaces, with decrypted tokens. One statement per batch. */
export const listSubscriptions =
  ({ database, cipher }: WebhooksService): Handler<Operations['webhooks.subscriptions']> =>
  async (calls) => {
    const requested = calls.map(({ input }) => uuidOf('workspace', input.workspaceId));
    const rows = await database.query<SubscriptionRow>(select, [[...new Set(requested)]]);
    const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id);
    return requested.map((workspaceId) => ({
      subscriptions: (byWorkspace.get(workspaceId) ?? []).map(subscriptionOf),
    }));

    function subscriptionOf({ workspace_id, id, url, events, payload, ...row }: SubscriptionRow) {
      const binding = tokenBinding({ workspaceId: workspace_id, id });
      return {
        id: encodeId('webhook', id),
        url,
        events: withEach(events),
        payload,
        ...(row.is_held ? { token: null, previousToken: null } : tokensOf(row, binding)),
        ...(row.is_held && { isHeld: true }),
        headers: headersOf(row.headers_ciphertext, { workspaceId: workspace_id, id }),
        ratePerSecond: row.rate_per_second,
        filter: row.filter,
        filterChangedAt:
          row.filter_changed_ms === null ? null : new Date(row.filter_changed_ms).toISOString(),
        traceContext: row.trace_context,
        disabledReason: row.disabled_reason,
        createdAt: new Date(row.created_ms).toISOString(),
        subscribedAt: timesOfEach(row.subscribed_at),
        lastDisabled: periodOf(row),
        positions: row.positions,
      };
    }

    function headersOf(text: string | null, owner: { workspaceId: string; id: string }) {
      try {
        return decryptHeaders(text, owner, cipher);
      } catch {
        return null;
      }
    }

    /** If a webhook with an unreadable token were omitted, its events would be lost. */
    function tokensOf(row: StoredTokens, binding: string) {
      const { token_ciphertext, previous_token_ciphertext, previous_until_ms } = row;
      try {
        const token = cipher.decrypt(token_ciphertext, binding);
        if (previous_token_ciphertext === null) return { token, previousToken: null };
        const previous = cipher.decrypt(previous_token_ciphertext, binding);
        const until = new Date(previous_until_ms).toISOString();
        return { token, previousToken: { token: previous, until } };
      } catch {
        return { token: null, previousToken: null };
      }
    }
  };

/** Until 0.4.0: dispatchers of 0.2.0 know only kinds by their names. Kinds that are added later are matched by `*`. */
const withEach = (events: readonly string[]): string[] =>
  events.includes(allKinds) ? [allKinds, ...eventKinds] : [...events];

function timesOfEach(subscribedAt: Record<string, string>): Record<string, string> {
  const { [allKinds]: all } = subscribedAt;
  if (all === undefined) return subscribedAt;
  return { ...Object.fromEntries(eventKinds.map((kind) => [kind, all])), ...subscribedAt };
}

interface StoredTokens {
  token_ciphertext: string;
  /** Null once it has expired. */
  previous_token_ciphertext: string | null;
  previous_until_ms: number;
}

/** Moments in milliseconds since the epoch. */
interface DisabledPeriod {
  disabled_ms: number | null;
  enabled_ms: number | null;
}

/** Null if it was never disabled, or is disabled now. */
function periodOf({ disabled_ms: disabledMs, enabled_ms: enabledMs }: DisabledPeriod) {
  if (disabledMs === null || enabledMs === null || enabledMs <= disabledMs) return null;
  return { from: new Date(disabledMs).toISOString(), until: new Date(enabledMs).toISOString() };
}

interface SubscriptionRow extends StoredTokens, DisabledPeriod {
  workspace_id: string;
  id: string;
  url: string;
  events: string[];
  payload: WebhookPayload;
  headers_ciphertext: string | null;
  rate_per_second: number | null;
  filter: Record<string, unknown> | null;
  filter_changed_ms: number | null;
  trace_context: boolean;
  /** Whether its workspace is suspended. */
  is_held: boolean;
  disabled_reason: string | null;
  created_ms: number;
  subscribed_at: Record<string, string>;
  positions: Record<string, StreamPosition>;
}

const select: Statement = {
  name: 'webhooks.subscriptions',
  text: `
    select workspace_id, id, url, events, payload, token_ciphertext, headers_ciphertext, rate_per_second, filter, trace_context, disabled_reason, subscribed_at, positions,
      (extract(epoch from created_at) * 1000)::float8 as created_ms,
      (extract(epoch from filter_changed_at) * 1000)::float8 as filter_changed_ms,
      (extract(epoch from disabled_at) * 1000)::float8 as disabled_ms,
      (extract(epoch from enabled_at) * 1000)::float8 as enabled_ms,
      exists (select from webhooks.suspended_workspaces s where s.workspace_id = w.workspace_id) as is_held,
      case when previous_token_until > now() then previous_token_ciphertext end as previous_token_ciphertext,
      (extract(epoch from previous_token_until) * 1000)::float8 as previous_until_ms
    from webhooks.webhooks w where workspace_id = any ($1::uuid[]) order by workspace_id, id`,
};
