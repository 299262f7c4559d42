import type { EventPublisher, StreamOptions } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import type { Database } from '../database.js';
import type { Log } from '../log.js';
import type { OutboxStatements } from './statements.js';

interface Reconciliation {
  database: Database;
  publisher: EventPublisher;
  stream: StreamOptions;
  sql: OutboxStatements;
  log: Log;
}

/**
 * Finds out whether the stream still holds what it acknowledged, and hands what it lost to the sweeper: PostgreSQL is the truth,
 * the stream a copy that can be rebuilt. Nothing must be published meanwhile: a fresh message at the end would hide the gap.
 */
export async function reconcileOutbox(parts: Reconciliation): Promise<void> {
  const { database, sql, log } = parts;
  const { kept, newest } = await searchKept(parts);
  // What is newer was published meanwhile, by this process' twin: it is there.
  const lost = await database.query<{ id: string }>(sql.forget, [kept, newest]);
  if (lost.length > 0)
    log.warn(
      { events: lost.length, kept },
      'the stream lost its latest messages; publishing events again',
    );
}

/** The newest sequence that was written down, and the newest that is known to be kept: at growing steps back from there. */
async function searchKept({
  database,
  publisher,
  stream,
  sql,
}: Reconciliation): Promise<{ kept: number; newest: number }> {
  const bounds = await publisher.bounds(stream);
  let newest = 0;
  for (let offset = 0; ; offset = offset * 2 + 1) {
    const [row] = await database.query<{ id: string; seq: string }>(sql.newest, [offset]);
    if (!row) return { kept: 0, newest };
    const sequence = Number(row.seq);
    newest ||= sequence;
    // What is before the stream's first message has aged out: it was there.
    const held = sequence < bounds.first && sequence <= bounds.last;
    if (held || (await publisher.messageIdAt(sequence)) === encodeId('event', row.id))
      return { kept: sequence, newest };
  }
}
