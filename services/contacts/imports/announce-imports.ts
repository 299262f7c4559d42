import { makeEvent, type Session } from '@roster/storage';
import type { ContactsService } from '../service.js';
import { importShape, type ImportRecord } from './import-shape.js';

/**
 * Writes an event for each of these imports that has ended, and announces to subscriptions how far all of them are.
 *
 * @param inner the transaction that changed them
 */
export async function announceImports(
  { ids, outbox, activity }: Pick<ContactsService, 'ids' | 'outbox' | 'activity'>,
  inner: Session,
  imports: readonly ImportRecord[],
): Promise<void> {
  const ended = imports.filter(({ ended_ms }) => ended_ms !== null);
  const events = ended.map((record) => {
    const shape = importShape(record);
    const at = new Date(shape.endedAt!);
    return makeEvent(ids, record.workspace_id, 'IMPORT_ENDED', { import: shape }, at);
  });
  await outbox.add(inner, events);
  inner.afterCommit(() => {
    for (const record of imports)
      activity.note(record.workspace_id, 'imports', record.id, () => progressOf(record));
  });
}

function progressOf(record: ImportRecord) {
  const { id, status, total, done, created, updated, skipped, failed } = importShape(record);
  return { id, status, total, done, created, updated, skipped, failed };
}
