import { makeEvent, type Session } from '@roster/storage';
import type { ContactsService } from '../service.js';
import { importShape, type ImportRecord } from './import-shape.js';

/**
 * Writes an event for each of these imports that has ended.
 *
 * @param inner the transaction that ended them
 */
export async function announceEnds(
  { ids, outbox }: Pick<ContactsService, 'ids' | 'outbox'>,
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
}
