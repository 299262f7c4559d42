import type { ErasureStep } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { claimStatement } from '../jobs/claim-statement.js';
import type { ClaimedJob } from '../jobs/job-runner.js';

export interface ClaimedErasure extends ClaimedJob {
  contact_id: string;
  step: ErasureStep;
  /** `KnownValues` as JSON. */
  known: string;
  position: string | null;
  until: string | null;
  pending: string | null;
  reached: string | null;
  created_at: Date;
}

export const claimErasure = claimStatement('erasures.claim', 'contacts.erasures', [
  ...['contact_id', 'step', 'known', 'position', 'until', 'pending', 'reached', 'created_at'],
]);

/** What a slice has done. */
export interface Advanced {
  step?: ErasureStep;
  known?: string;
  position?: number | null;
  until?: number | null;
  pending?: string | null;
  reached?: string | null;
  events?: number;
  deliveries?: number;
  records?: number;
}

/** The values of `advanceErasure` after a slice. */
export const advancedValues = (erasure: ClaimedErasure, done: Advanced): unknown[] => [
  erasure.workspace_id,
  erasure.id,
  done.step ?? erasure.step,
  done.known ?? erasure.known,
  done.position === undefined ? erasure.position : done.position,
  done.until === undefined ? erasure.until : done.until,
  done.pending === undefined ? erasure.pending : done.pending,
  done.reached === undefined ? erasure.reached : done.reached,
  done.events ?? 0,
  done.deliveries ?? 0,
  done.records ?? 0,
];

export const advanceErasure: Statement = {
  name: 'erasures.advance',
  text: `
    update contacts.erasures
    set status = 'running', step = $3, known = $4, position = $5, until = $6, pending = $7, reached = $8,
      events = events + $9::int, deliveries = deliveries + $10::int, records = records + $11::int
    where workspace_id = $1 and id = $2`,
};

/** Nothing of the contact remains. */
export const endErasure: Statement = {
  name: 'erasures.end',
  text: `
    update contacts.erasures
    set status = 'completed', step = null, known = null, position = null, until = null, pending = null, reached = null,
      records = records + $3::int, ended_at = greatest(clock_timestamp(), created_at)
    where workspace_id = $1 and id = $2`,
};

/** Lets others be claimed first, and waits for $3 milliseconds. An erasure never fails: it is continued until nothing remains. */
export const postponeErasure: Statement = {
  name: 'erasures.postpone',
  text: `
    update contacts.erasures set status = 'running', next_at = now() + $3 * interval '1 millisecond'
    where workspace_id = $1 and id = $2`,
};
