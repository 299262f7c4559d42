import { Gauge, type Registry } from 'prom-client';
import { Shares } from '../../http/shares.js';
import { subscriptionLimits, workspaceShare } from './subscription-limits.js';

/** The memory for events and messages that clients have not read, by workspace. */
export function unreadBytes(metrics: Registry): Shares {
  const max = subscriptionLimits.unreadBytes;
  const unread = new Shares(max, workspaceShare(max));
  new Gauge({
    name: 'roster_graphql_unread_bytes',
    help: 'Memory of events and messages that clients of subscriptions have not read yet.',
    registers: [metrics],
    collect() {
      this.set(unread.total);
    },
  });
  return unread;
}
