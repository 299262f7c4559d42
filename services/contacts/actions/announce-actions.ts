import type { Session } from '@roster/storage';
import type { ContactsService } from '../service.js';
import { actionShape, type ActionRecord } from './action-shape.js';

/**
 * Announces to subscriptions how far these actions are.
 *
 * @param inner the transaction that changed them
 */
export function announceActions(
  { activity }: Pick<ContactsService, 'activity'>,
  inner: Session,
  actions: readonly ActionRecord[],
): void {
  inner.afterCommit(() => {
    for (const record of actions)
      activity.note(record.workspace_id, 'contactActions', record.id, () => progressOf(record));
  });
}

function progressOf(record: ActionRecord) {
  const { id, status, total, examined, matched, changed, unchanged, failed } = actionShape(record);
  return { id, status, total, examined, matched, changed, unchanged, failed };
}
