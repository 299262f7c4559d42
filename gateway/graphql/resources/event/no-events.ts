import { refused } from '../../errors.js';
import type { EventSource } from './event-source.js';

/** For transports with a single response. */
export const noEvents: EventSource = {
  follow() {
    throw refused(
      'use_subscription_transport',
      'Subscriptions require SSE ("Accept: text/event-stream") or WebSocket.',
    );
  },
};
