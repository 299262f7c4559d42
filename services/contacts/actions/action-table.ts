import { uuidOf, notFound } from '@roster/contracts';
import type { Call } from '@roster/bus';
import type { Session, Statement } from '@roster/storage';
import { claimStatement } from '../jobs/claim-statement.js';
import type { ClaimedJob } from '../jobs/job-runner.js';
import { actionColumns, endOf, type ActionRecord } from './action-shape.js';

export interface ClaimedAction extends ClaimedJob {
  /** JSON. */
  filter: string;
  /** The types of its properties when the action was created, except for strings, as JSON. */
  filter_types: string;
  /** The only contacts, ascending. */
  contact_ids: string[] | null;
  /** JSON. */
  change: string;
  dry_run: boolean;
  /** ID of the last contact that was handled. */
  position: string;
  /** No later contact existed when the action was created. */
  end_id: string;
  /** JSON. */
  failures: string;
}

export const claimAction = claimStatement('contact-actions.claim', 'contacts.actions', [
  ...[
    'filter',
    'filter_types',
    'contact_ids',
    'change',
    'dry_run',
    'position',
    'end_id',
    'failures',
  ],
]);

/** Records the outcome of a slice, whose events are not younger than $11, and which is the last one if $10 is true. */
export const advanceAction: Statement = {
  name: 'contact-actions.advance',
  text: `
    update contacts.actions a
    set position = $3::uuid, examined = examined + $4::int, matched = matched + $5::int, changed = changed + $6::int,
      unchanged = unchanged + $7::int, failed = failed + $8::int, failures = $9, attempts = 0,
      status = case when $10::boolean then 'completed' else 'running' end,
      ended_at = case when $10 then greatest(${endOf('a')}, $11::timestamptz) end
    where workspace_id = $1 and id = $2
    returning ${actionColumns('a')}`,
};

/** Ends an action for the reason $3. */
export const failAction: Statement = {
  name: 'contact-actions.fail',
  text: `
    update contacts.actions a set status = 'failed', reason = $3, ended_at = ${endOf('a')}
    where workspace_id = $1 and id = $2
    returning ${actionColumns('a')}`,
};

/**
 * After a failed slice, lets other actions be claimed first. After $4 failures that no retry is expected to end, the action fails.
 */
export const postponeAction: Statement = {
  name: 'contact-actions.postpone',
  text: `
    update contacts.actions a
    set attempts = attempts + $3::int, next_at = now() + interval '2 seconds',
      status = case when attempts + $3 >= $4::int then 'failed' else status end,
      reason = case when attempts + $3 >= $4 then 'An internal error occurred.' end,
      ended_at = case when attempts + $3 >= $4 then ${endOf('a')} end
    where workspace_id = $1 and id = $2 and status in ('queued', 'running')
    returning ${actionColumns('a')}`,
};

/**
 * Locks the action of a call until the transaction ends.
 *
 * @throws Fault `not_found`
 */
export async function lockAction(
  { caller, input }: Call<{ actionId: string }>,
  inner: Session,
): Promise<ActionRecord> {
  const key = [uuidOf('workspace', caller.workspaceId), uuidOf('contactAction', input.actionId)];
  const [found] = await inner.query<ActionRecord>(lock, key);
  if (!found) throw notFound('contactAction');
  return found;
}

const lock: Statement = {
  name: 'contact-actions.lock',
  text: `
    select ${actionColumns('a')}
    from contacts.actions a where a.workspace_id = $1 and a.id = $2 for update`,
};
