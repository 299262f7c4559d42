import type { Bus } from '@roster/bus';
import type { IdClock } from '@roster/process';
import { AuditLog, type Database } from '@roster/storage';
import type { Activity } from './delivery/activity.js';
import type { Partitions } from './queue/partitions.js';
import type { Queue } from './queue/queue.js';
import type { ReplayRunner } from './queue/replay-runner.js';
import type { Subscriptions } from './webhooks/subscriptions.js';

/** Dependencies of the operations of this service. */
export interface DispatcherService {
  database: Database;
  partitions: Partitions;
  queue: Queue;
  replays: Pick<ReplayRunner, 'wake'>;
  subscriptions: Subscriptions;
  activity: Activity;
  ids: IdClock;
  /** The log of events: the stream. */
  log: Pick<Bus, 'readEvents' | 'readEventsBefore' | 'newestEvent'>;
  /** The stream, of all workspaces. */
  stream: Bus['stream'];
  /** All events of the stream up to this sequence are acknowledged. */
  acknowledgedSequence(): Promise<number>;
  /** How long the stream keeps events. */
  retainedSeconds: number;
  deliveryRetentionDays: number;
  /** Addresses that deliveries are sent from, if the operator states them. */
  sourceAddresses: readonly string[];
}

export const schema = 'dispatcher';

export const auditLog = new AuditLog(schema);
