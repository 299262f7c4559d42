import { makeEvent, tracedBy, type Session } from '@roster/storage';
import type { TraceContext } from '@roster/telemetry';
import type { ContactsService } from '../service.js';
import { importShape, type ImportRecord } from './import-shape.js';

/**
 * Writes an event for each of these imports that has ended, and announces to subscriptions how far all of them are.
 *
 * @param inner the transaction that changed them
 * @param cause what their events continue, if it is traced
 */
export async function announceImports(
  { ids, outbox, activity }: Pick<ContactsService, 'ids' | 'outbox' | 'activity'>,
  inner: Session,
  imports: readonly ImportRecord[],
  cause: TraceContext = {},
): Promise<void> {
  const ended = imports.filter(({ ended_ms }) => ended_ms !== null);
  const events = ended.map((record) => {
    const shape = importShape(record);
    const at = new Date(shape.endedAt!);
    const event = makeEvent(ids, record.workspace_id, 'IMPORT_ENDED', { import: shape }, at);
    return { ...event, ...tracedBy(cause) };
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
