import type { StreamPosition } from '@roster/contracts';
import type { Webhook } from './entities/webhook.entity.js';
import type { WebhooksService } from './service.js';

/**
 * The end of the stream of events: the events up to it precede a change that is committed afterwards, and an event of a later
 * change is published at a later position. Null if JetStream does not answer; the time of the change must suffice then.
 */
export async function endOfStream({
  bus,
  log,
}: Pick<WebhooksService, 'bus' | 'log'>): Promise<StreamPosition | null> {
  try {
    return await bus.streamPosition();
  } catch (error) {
    log.warn({ err: error }, 'failed to read the end of the stream; using the time instead');
    return null;
  }
}

/**
 * Stores the position of a time of the webhook, and drops those of times that it no longer has.
 */
export function keepPosition(webhook: Webhook, at: Date, position: StreamPosition | null): void {
  const { createdAt, disabledAt, enabledAt, subscribedAt, positions } = webhook;
  const times = [createdAt, disabledAt, enabledAt].map((time) => time?.toISOString());
  const inUse = new Set([...times, ...Object.values(subscribedAt)]);
  // Of two changes in the same millisecond, the earlier position: in case of doubt, an event is delivered.
  const all = { ...(position && { [at.toISOString()]: position }), ...positions };
  webhook.positions = Object.fromEntries(Object.entries(all).filter(([time]) => inUse.has(time)));
}
