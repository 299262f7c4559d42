import type { Call } from '@roster/bus';
import {
  contactActionLimits,
  Fault,
  invalidFields,
  uuidOf,
  type ContactChange,
} from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import type { Filter } from '../reading/conditions.js';
import { storedTraceOf } from '../jobs/job-trace.js';
import { beginning } from '../reading/page.js';
import { auditLog, type ContactsService } from '../service.js';
import type { PropertyTypes } from '../reading/value-filter.js';
import { typeErrors } from '../writing/definitions/typed-calls.js';
import { requireTypes, storedTypes } from '../writing/definitions/types-of-filter.js';
import { actionColumns, actionShape, type ActionRecord } from './action-shape.js';
import { announceActions } from './announce-actions.js';

/** Which contacts are changed, and how. */
export interface NewAction {
  filter: Filter;
  contactIds?: readonly string[] | undefined;
  change: ContactChange;
  dryRun: boolean;
}

/**
 * Creates an action, records it, and wakes the runner.
 *
 * @param inner a transaction
 * @throws Fault `limit_reached`, or `invalid` if a value is not of the type of its property
 */
export async function insertAction(
  service: Pick<ContactsService, 'ids' | 'outbox' | 'jobs' | 'activity'>,
  call: Call,
  { filter, contactIds, change, dryRun }: NewAction,
  inner: Session,
) {
  const { ids, jobs } = service;
  const workspaceId = uuidOf('workspace', call.caller.workspaceId);
  const filtered = Object.keys(filter.property ?? {});
  const changed = Object.keys(change.properties ?? {});
  const names = [...new Set([...filtered, ...changed])];
  const types = await storedTypes(call.caller.workspaceId, names, inner);
  requireTypes(filter, types, '/filter');
  requireValues(change, types);
  await inner.query(lock, [workspaceId]);
  // A separate statement: it sees what was committed during the wait for the lock.
  const [record] = await inner.query<ActionRecord>(insert, [
    ...[workspaceId, ids.next()],
    JSON.stringify(filter),
    contactIds === undefined
      ? null
      : [...new Set(contactIds)].map((id) => uuidOf('contact', id)).toSorted(),
    JSON.stringify(change),
    ...[dryRun, beginning, contactActionLimits.active],
    JSON.stringify(
      Object.fromEntries(
        [...types].filter(([name, type]) => filtered.includes(name) && type !== 'string'),
      ),
    ),
    storedTraceOf(call),
  ]);
  if (!record) throw tooMany;
  const action = actionShape(record);
  // The values of filters and changes can be addresses and names: the entry says only which fields there are.
  await auditLog.record(inner, call, {
    action: 'contact_action.created',
    resourceId: action.id,
    after: {
      filter: Object.keys(filter),
      ...(contactIds && { contacts: record.total }),
      change: Object.keys(change),
      dryRun,
    },
  });
  await announceActions(service, inner, [record]);
  inner.afterCommit(() => jobs.wake());
  return action;
}

function requireValues({ properties = {} }: ContactChange, types: PropertyTypes): void {
  const errors = typeErrors(properties, types);
  if (errors.length === 0) return;
  throw invalidFields(
    errors.map(({ pointer, message }) => ({ pointer: `/change${pointer}`, message })),
  );
}

const tooMany = new Fault(
  'limit_reached',
  `A workspace can have at most ${contactActionLimits.active} actions on contacts that have not ended.`,
);

/** Serializes creations in one workspace, so that none exceeds the limit. */
const lock: Statement = {
  name: 'contact-actions.lock-workspace',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:contact-actions:' || $1, 0))`,
};

/** The IDs of contacts that are created later follow the watermark of the workspace. */
const insert: Statement = {
  name: 'contact-actions.create',
  text: `
    insert into contacts.actions as a
      (workspace_id, id, status, filter, filter_types, contact_ids, change, dry_run, position, end_id, total, trace)
    select $1::uuid, $2::uuid, 'queued', $3, $9, $4::uuid[], $5, $6::boolean, $7::uuid,
      coalesce((select last_id from contacts.watermarks where workspace_id = $1), $7::uuid),
      coalesce(
        cardinality($4::uuid[]), (select sum(total) from contacts.counters where workspace_id = $1), 0)::int, $10
    where (
      select count(*) from contacts.actions where workspace_id = $1 and status in ('queued', 'running')
    ) < $8::int
    returning ${actionColumns('a')}`,
};
