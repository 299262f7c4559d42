import { uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { timeOfId } from '@roster/service';

/** A webhook as the webhooks service returns it, including its token. Encoded IDs. */
export type Subscription = OutputOf<Operations['webhooks.subscriptions']>['subscriptions'][number];

type Kept = Pick<Subscription, 'token' | 'previousToken' | 'disabledReason'>;

/** A webhook as deliveries need it. Raw IDs; moments in milliseconds since the epoch. */
export interface KnownWebhook extends Kept {
  id: string;
  workspaceId: string;
  url: URL;
  /** By subscribed kind, the moment before which events are not delivered. */
  sinceMs: ReadonlyMap<string, number>;
  /** Events of this period are skipped, because it was disabled. */
  skippedMs: { from: number; until: number } | null;
}

/**
 * Maximum difference between the clocks of two machines, and between the time in the ID of an event and its commit. In case of
 * doubt, an event is delivered: with a clock that is an hour ahead, the webhooks service makes webhooks that seem to be younger
 * than the events of the next hour.
 */
const toleranceMs = 2 * 3_600_000;

export function knownWebhook(workspaceId: string, subscription: Subscription): KnownWebhook {
  const { url, events, token, previousToken, disabledReason } = subscription;
  const { subscribedAt = {}, lastDisabled = null } = subscription;
  const id = uuidOf('webhook', subscription.id);
  const createdMs = timeOfId(id);
  const sinceOf = (kind: string) => {
    const since = subscribedAt[kind];
    return (since === undefined ? createdMs : Date.parse(since)) - toleranceMs;
  };
  return {
    ...{ id, workspaceId, url: new URL(url), token, previousToken, disabledReason },
    sinceMs: new Map(events.map((kind) => [kind, sinceOf(kind)])),
    skippedMs: lastDisabled && {
      from: Date.parse(lastDisabled.from) + toleranceMs,
      until: Date.parse(lastDisabled.until) - toleranceMs,
    },
  };
}

/** Whether the webhook had subscribed to the kind when the event happened. */
export function isSubscribed({ sinceMs }: KnownWebhook, kind: string, eventMs: number): boolean {
  const since = sinceMs.get(kind);
  return since !== undefined && eventMs >= since;
}

/** Whether the webhook was disabled when the event happened, and has been enabled since. */
export const wasDisabled = ({ skippedMs }: KnownWebhook, eventMs: number): boolean =>
  skippedMs !== null && eventMs >= skippedMs.from && eventMs < skippedMs.until;
