import type { EventPublisher } from '@roster/bus';
import type { Database } from '../database.js';
import { messageOf, type OutboxEvent } from './event.js';
import { markValues, type OutboxStatements } from './statements.js';

const rowsMax = 500;

interface Sweep {
  database: Database;
  publisher: EventPublisher;
  sql: OutboxStatements;
  /** How old an unpublished row is before it is taken. */
  afterMs: number;
  /** Whether to go on with the next rows. */
  goesOn: () => boolean;
  onPublished: (count: number) => void;
}

/** Publishes rows that nobody has: their process died, or NATS was away. Two sweepers never take the same row. */
export async function sweepOutbox({
  database,
  publisher,
  sql,
  afterMs,
  goesOn,
  onPublished,
}: Sweep): Promise<void> {
  for (let more = true; more && goesOn();) {
    more = await database.transaction(async (session) => {
      const rows = await session.query<OutboxEvent>(sql.claim, [afterMs, rowsMax]);
      if (rows.length === 0) return false;
      const sent = await Promise.allSettled(
        rows.map((event) => publisher.publish({ ...messageOf(event), republished: true })),
      );
      const acknowledged = rows.flatMap((event, at) => {
        const outcome = sent[at]!;
        return outcome.status === 'fulfilled' ? [{ event, sequence: outcome.value }] : [];
      });
      await session.query(sql.mark, markValues(acknowledged));
      onPublished(acknowledged.length);
      return rows.length === rowsMax && acknowledged.length > 0;
    });
  }
}
