import { changeKey } from '../../faults/unreliable-receiver.js';
import type { Change } from '../pods/load.js';
import type { ReceivedEvent, ReceiverReport } from '../pods/receiver.js';

const shownMax = 10;

/**
 * Violations of: every acknowledged change was delivered as exactly one signed event, and no other event was
 * delivered.
 */
export function compareEvents(
  acknowledged: readonly Change[],
  { events, forged }: ReceiverReport,
): string[] {
  const changed = new Set(acknowledged.map(keyOf));
  const keys = events.map(keyOf);
  const heard = new Set(keys);
  return [
    ...(changed.size === 0 ? ['no change was acknowledged'] : []),
    ...list(
      'lost',
      [...changed].filter((key) => !heard.has(key)),
    ),
    ...list(
      'delivered, but never acknowledged',
      [...heard].filter((key) => !changed.has(key)),
    ),
    ...list(
      'delivered as two events',
      keys.filter((key, index) => keys.indexOf(key) !== index),
    ),
    ...(forged > 0 ? [`${forged} deliveries without a valid signature`] : []),
  ];
}

const keyOf = ({ event, contactId, name }: ReceivedEvent): string =>
  changeKey(event, contactId, name);

const list = (what: string, keys: string[]): string[] =>
  keys.length === 0
    ? []
    : [`${keys.length} ${what}:`, ...keys.slice(0, shownMax).map((key) => `  ${key}`)];
