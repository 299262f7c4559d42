import {
  allKinds,
  type Operations,
  type OutputOf,
  type StreamPosition,
  timeOfId,
  uuidOf,
  type WebhookPayload,
} from '@roster/contracts';
import { eventFilter, type EventFilter } from './event-filter.js';
import type { ConsumedMessage } from '@roster/bus';

/** A webhook as the webhooks service returns it, including its token. Encoded IDs. */
export type Subscription = OutputOf<Operations['webhooks.subscriptions']>['subscriptions'][number];

type Kept = Pick<Subscription, 'token' | 'previousToken' | 'disabledReason'>;

/** A webhook as deliveries need it. Raw IDs. */
export interface KnownWebhook extends Kept {
  id: string;
  workspaceId: string;
  url: URL;
  payload: WebhookPayload;
  /** Of its owner, with names in lower case. Null if they cannot be decrypted. */
  headers: Readonly<Record<string, string>> | null;
  /** Maximum number of attempts per second. */
  ratePerSecond: number | null;
  /** Null if it receives all events of its kinds. */
  filter: EventFilter | null;
  /** When it was last changed; null if it was not, or if that is unknown. */
  filterChangedMs: number | null;
  /** Whether its workspace is suspended: its deliveries wait. */
  isHeld?: boolean;
  /** Whether its deliveries carry the trace context of their events. */
  traceContext: boolean;
  /** By subscribed kind, or `*`, when the webhook subscribed to it: earlier events are not delivered. */
  since: ReadonlyMap<string, Moment>;
  /** Events of this period are skipped, because it was disabled. */
  disabled: { from: Moment; until: Moment } | null;
}

export function knownWebhook(workspaceId: string, subscription: Subscription): KnownWebhook {
  const { url, events, payload, token, previousToken, disabledReason } = subscription;
  const { createdAt, subscribedAt = {}, lastDisabled = null, positions = {} } = subscription;
  const { headers = {}, ratePerSecond = null, filter = null, traceContext = false } = subscription;
  const { filterChangedAt = null } = subscription;
  const { isHeld = false } = subscription;
  const id = uuidOf('webhook', subscription.id);
  const momentAt = (time: string): Moment => ({
    ms: Date.parse(time),
    position: positions[time] ?? null,
  });
  const created = createdAt ? momentAt(createdAt) : { ms: timeOfId(id), position: null };
  const sinceOf = (kind: string) => {
    const time = subscribedAt[kind];
    return time === undefined ? created : momentAt(time);
  };
  return {
    ...{ id, workspaceId, url: new URL(url), payload, token, previousToken, disabledReason },
    headers: headers && lowerCased(headers),
    ratePerSecond,
    isHeld,
    traceContext,
    filter: filter && eventFilter(filter),
    filterChangedMs: filterChangedAt === null ? null : Date.parse(filterChangedAt),
    since: new Map(events.map((kind) => [kind, sinceOf(kind)])),
    disabled: lastDisabled && {
      from: momentAt(lastDisabled.from),
      until: momentAt(lastDisabled.until),
    },
  };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** When the webhook subscribed to the kind; undefined if it did not. */
export const subscribedSince = ({ since }: KnownWebhook, kind: string): Moment | undefined =>
  since.get(kind) ?? since.get(allKinds);

/** Whether the webhook had subscribed to the kind when the event happened, or may have. */
export function isSubscribed(webhook: KnownWebhook, kind: string, event: EventMoment): boolean {
  const moment = subscribedSince(webhook, kind);
  return moment !== undefined && comesBefore(event, moment) !== true;
}

/** Whether the webhook was certainly disabled when the event happened, and has been enabled since. */
export const wasDisabled = ({ disabled }: KnownWebhook, event: EventMoment): boolean =>
  disabled !== null &&
  comesBefore(event, disabled.from) === false &&
  comesBefore(event, disabled.until) === true;

/** When a webhook changed, by the clock of the webhooks service. */
export interface Moment {
  ms: number;
  /** The end of the stream shortly before; null if it is unknown. */
  position: StreamPosition | null;
}

/** The fields that determine when an event happened. */
export interface EventMoment extends Pick<ConsumedMessage, 'position' | 'republished'> {
  /** Of the event. */
  rawId: string;
}

/**
 * Maximum difference between the clocks of two machines, and between the time in the ID of an event and its commit, where only
 * times can be compared.
 */
const toleranceMs = 2 * 3_600_000;

/**
 * Whether an event happened before a moment; undefined if it is not certain. Positions in the same stream tell it exactly: the
 * position of the moment was read before its change was committed. Only times tell it of events that were published again, for
 * example because the stream was created again, and where no position is known.
 */
export function comesBefore(event: EventMoment, { ms, position }: Moment): boolean | undefined {
  if (position?.stream === event.position.stream) {
    const { sequence, storedNs } = event.position;
    if (sequence <= position.sequence && storedNs <= position.storedNs) return true;
    if (!event.republished) return false;
  }
  const differenceMs = timeOfId(event.rawId) - ms;
  return Math.abs(differenceMs) > toleranceMs ? differenceMs < 0 : undefined;
}

/** The webhook of an attempt, its workspace and its URL. Raw IDs. */
export type Recipient = Pick<KnownWebhook, 'id' | 'workspaceId' | 'url'>;
