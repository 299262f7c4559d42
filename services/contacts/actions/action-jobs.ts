import {
  contactActionLimits,
  encodeId,
  Fault,
  systemCaller,
  timeOfId,
  type ContactChange,
} from '@roster/contracts';
import type { Session } from '@roster/storage';
import type { JobFailure, JobKind } from '../jobs/job-runner.js';
import { rolledBack } from '../jobs/rolled-back.js';
import { conditionValues, type Filter } from '../reading/conditions.js';
import { propertyErrors, type PropertyTypes } from '../reading/value-filter.js';
import type { ContactsService } from '../service.js';
import { batchWriters, type BatchWriters } from '../writing/batch-writers.js';
import { storedTypesOfFilter } from '../writing/definitions/types-of-filter.js';
import { withTypesOf } from '../writing/definitions/typed-workspaces.js';
import type { ActionFailure, ActionRecord } from './action-shape.js';
import {
  advanceAction,
  claimAction,
  failAction,
  postponeAction,
  type ClaimedAction,
} from './action-table.js';
import { announceActions } from './announce-actions.js';
import { applyAction, noOutcome, type ActionCounts } from './apply-action.js';
import { nextMatching, nextOfSelection } from './find-candidates.js';

/** Does actions on contacts. Contacts are handled in the order of their IDs: each once, and none that was created later. */
export class ActionJobs implements JobKind<ClaimedAction> {
  readonly claim = claimAction;
  readonly #service: ContactsService;
  readonly #writers: BatchWriters;
  readonly #onApplied: (counts: ActionCounts) => void;

  constructor(service: ContactsService, onApplied: (counts: ActionCounts) => void = () => {}) {
    this.#service = service;
    this.#onApplied = onApplied;
    this.#writers = batchWriters(service);
  }

  async advance(claimed: ClaimedAction, inner: Session): Promise<() => void> {
    const { workspace_id, id, filter, contact_ids: selected, dry_run } = claimed;
    const workspaceId = encodeId('workspace', workspace_id);
    const wanted = JSON.parse(filter) as Filter;
    const types = await storedTypesOfFilter(workspaceId, wanted, inner);
    const misfit = misfitOf(wanted, types);
    if (misfit !== undefined) {
      const failed = await inner.query<ActionRecord>(failAction, [workspace_id, id, misfit]);
      await announceActions(this.#service, inner, failed);
      return () => {};
    }
    const conditions = conditionValues(workspaceId, wanted, types);
    const { ids, ...walked } = selected
      ? nextOfSelection(selected, claimed)
      : await nextMatching(conditions, claimed, inner);
    const call = {
      input: {},
      caller: { ...systemCaller, workspaceId },
      requestId: 'action',
      deadline: Infinity,
    };
    const change = JSON.parse(claimed.change) as ContactChange;
    const apply = (session: Session) =>
      applyAction(this.#service, this.#writers, call, { change, conditions }, ids, session);
    const work = dry_run ? () => rolledBack(inner, apply) : () => apply(inner);
    const { counts, failures } =
      ids.length > 0 ? await withTypesOf(this.#service, workspace_id, work) : noOutcome;
    // What a change of a type hid from the statements before it would be passed over.
    if (!areEqual(types, await storedTypesOfFilter(workspaceId, wanted, inner))) throw typeChanged;
    const former = JSON.parse(claimed.failures) as ActionFailure[];
    const advanced = await inner.query<ActionRecord>(advanceAction, [
      ...[workspace_id, id, walked.position, walked.examined],
      ...[counts.matched, counts.changed, counts.unchanged, counts.failed],
      JSON.stringify([...former, ...failures].slice(0, contactActionLimits.failures)),
      walked.isLast,
      // Not before the times of the slice if the clock was set back meanwhile.
      new Date(timeOfId(this.#service.ids.next())).toISOString(),
    ]);
    await announceActions(this.#service, inner, advanced);
    return () => this.#onApplied(counts);
  }

  async postpone(
    { workspace_id, id }: ClaimedAction,
    { counts, attemptsMax }: JobFailure,
    inner: Session,
  ): Promise<void> {
    const key = [workspace_id, id];
    const postponed = await inner.query<ActionRecord>(postponeAction, [
      ...key,
      counts,
      attemptsMax,
    ]);
    await announceActions(this.#service, inner, postponed);
  }
}

/** Why an action cannot go on, if the type of a property was changed since it was created. */
function misfitOf({ property }: Filter, types: PropertyTypes): string | undefined {
  const [first] = propertyErrors(property, types);
  return (
    first &&
    `The filter no longer fits the contact properties: ${first.pointer.slice(1)} ${first.message}.`
  );
}

const areEqual = (some: PropertyTypes, others: PropertyTypes): boolean =>
  some.size === others.size && [...some].every(([name, type]) => others.get(name) === type);

const typeChanged = new Fault('unavailable', 'The type of a property is being changed.');
