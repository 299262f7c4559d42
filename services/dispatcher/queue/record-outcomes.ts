import { timeOfId } from '@roster/contracts';
import type { Database, Session, Statement } from '@roster/storage';
import type { Outcome } from '../delivery/delivery.js';
import { traceText } from '@roster/telemetry';
import { isAnnounced } from './announce-dead.js';
import type { Partitions } from './partitions.js';
import { recordClaimed, recordFirst } from './queue-table.js';

/**
 * Writes outcomes: one statement for fresh deliveries, one for those claimed from the queue.
 *
 * @param announce called with the dead deliveries that a transaction has recorded, within it. Without it, none is announced.
 */
export async function recordOutcomes(
  database: Database,
  partitions: Partitions,
  outcomes: readonly Outcome[],
  announce?: (session: Session, dead: Outcome[]) => Promise<void>,
): Promise<void> {
  const first = outcomes.filter(({ delivery }) => delivery.lease === undefined);
  const claimed = outcomes.filter(({ delivery }) => delivery.lease !== undefined);
  for (const { delivery } of first) await partitions.ensure(timeOfId(delivery.eventId));
  const written = await Promise.allSettled([
    write(first, recordFirst, firstColumns),
    write(claimed, recordClaimed, claimedColumns),
  ]);
  const failed = written.find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return;
  // Another process may have dropped the partition of a day.
  partitions.forget();
  throw failed.reason;

  async function write(
    some: readonly Outcome[],
    statement: Statement,
    columns: (some: readonly Outcome[]) => unknown[],
  ): Promise<void> {
    if (some.length === 0) return;
    if (!announce || !some.some(isAnnounced)) {
      await database.query(statement, columns(some));
      return;
    }
    await database.transaction(async (session) => {
      const dead = await session.query<{ id: string }>(statement, columns(some));
      const recorded = new Set(dead.map(({ id }) => id));
      await announce(
        session,
        some.filter(({ delivery }) => recorded.has(delivery.id)),
      );
    });
  }
}

const firstColumns = (outcomes: readonly Outcome[]): unknown[] => [
  outcomes.map(({ delivery }) => delivery.workspaceId),
  outcomes.map(({ delivery }) => delivery.id),
  outcomes.map(({ delivery }) => delivery.eventId),
  outcomes.map(({ delivery }) => delivery.webhookId),
  outcomes.map(({ delivery }) => delivery.kind),
  outcomes.map(({ delivery }) => delivery.body),
  ...resultColumns(outcomes),
  outcomes.map(({ delivery }) => delivery.createdAtMs ?? null),
  outcomes.map(({ delivery }) => delivery.ownBody ?? null),
  outcomes.map(({ delivery }) => traceText(delivery.trace ?? {})),
];

const claimedColumns = (outcomes: readonly Outcome[]): unknown[] => [
  outcomes.map(({ delivery }) => delivery.workspaceId),
  outcomes.map(({ delivery }) => delivery.id),
  outcomes.map(({ delivery }) => delivery.webhookId),
  outcomes.map(({ delivery }) => delivery.lease),
  ...resultColumns(outcomes),
];

const resultColumns = (outcomes: readonly Outcome[]): unknown[] => [
  outcomes.map(({ status }) => status),
  outcomes.map(({ reason }) => reason ?? null),
  outcomes.map(({ attempt }) => JSON.stringify(attempt ? [attempt] : [])),
  outcomes.map(({ dueInSeconds }) => dueInSeconds ?? null),
  outcomes.map(({ delivery, attempt }) => delivery.attempts + (attempt ? 1 : 0)),
  outcomes.map(({ delivery, attempt }) => (attempt ? 'retry' : delivery.trigger)),
];
