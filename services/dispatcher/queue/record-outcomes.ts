import { timeOfId } from '@roster/contracts';
import type { Database } from '@roster/storage';
import type { Outcome } from '../delivery/delivery.js';
import type { Partitions } from './partitions.js';
import { recordClaimed, recordFirst } from './queue-table.js';

/** Writes outcomes: one statement for fresh deliveries, one for those claimed from the queue. */
export async function recordOutcomes(
  database: Database,
  partitions: Partitions,
  outcomes: readonly Outcome[],
): Promise<void> {
  const first = outcomes.filter(({ delivery }) => delivery.lease === undefined);
  const claimed = outcomes.filter(({ delivery }) => delivery.lease !== undefined);
  for (const { delivery } of first) await partitions.ensure(timeOfId(delivery.eventId));
  const written = await Promise.allSettled([
    first.length > 0 && database.query(recordFirst, firstColumns(first)),
    claimed.length > 0 && database.query(recordClaimed, claimedColumns(claimed)),
  ]);
  const failed = written.find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return;
  // Another process may have dropped the partition of a day.
  partitions.forget();
  throw failed.reason;
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
