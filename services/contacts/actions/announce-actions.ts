import { makeEvent, tracedBy, type Session } from '@roster/storage';
import type { TraceContext } from '@roster/telemetry';
import type { ContactsService } from '../service.js';
import { actionShape, type ActionRecord } from './action-shape.js';

/**
 * Writes an event for each of these actions that has ended, and announces to subscriptions how far all of them are.
 *
 * @param inner the transaction that changed them
 * @param cause what their events continue, if it is traced
 */
export async function announceActions(
  { ids, outbox, activity }: Pick<ContactsService, 'ids' | 'outbox' | 'activity'>,
  inner: Session,
  actions: readonly ActionRecord[],
  cause: TraceContext = {},
): Promise<void> {
  const ended = actions.filter(({ ended_ms }) => ended_ms !== null);
  const events = ended.map((record) => {
    const action = actionShape(record);
    const at = new Date(action.endedAt!);
    const event = makeEvent(ids, record.workspace_id, 'ACTION_ENDED', { action }, at);
    return { ...event, ...tracedBy(cause) };
  });
  await outbox.add(inner, events);
  inner.afterCommit(() => {
    for (const record of actions)
      activity.note(record.workspace_id, 'contactActions', record.id, () => progressOf(record));
  });
}

function progressOf(record: ActionRecord) {
  const { id, status, total, examined, matched, changed, unchanged, failed } = actionShape(record);
  return { id, status, total, examined, matched, changed, unchanged, failed };
}
