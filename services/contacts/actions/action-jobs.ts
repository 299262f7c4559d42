import {
  contactActionLimits,
  encodeId,
  Fault,
  systemCaller,
  timeOfId,
  type ContactChange,
  type ContactPropertyType,
} from '@roster/contracts';
import type { Session } from '@roster/storage';
import { traceOfText } from '@roster/telemetry';
import type { JobFailure, JobKind, SliceTrace } from '../jobs/job-runner.js';
import { rolledBack } from '../jobs/rolled-back.js';
import { conditionValues, type Filter } from '../reading/conditions.js';
import type { PropertyTypes } from '../reading/value-filter.js';
import type { ContactsService } from '../service.js';
import { batchWriters, type BatchWriters } from '../writing/batch-writers.js';
import { storedTypes } from '../writing/definitions/types-of-filter.js';
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

  describe({ id }: ClaimedAction) {
    return { name: 'process action', id: encodeId('contactAction', id) };
  }

  async advance(claimed: ClaimedAction, inner: Session, trace: SliceTrace): Promise<() => void> {
    const { workspace_id, id, filter, contact_ids: selected, dry_run } = claimed;
    const workspaceId = encodeId('workspace', workspace_id);
    const wanted = JSON.parse(filter) as Filter;
    const types = await storedTypes(workspaceId, Object.keys(wanted.property ?? {}), inner);
    const former = new Map(Object.entries(JSON.parse(claimed.filter_types) as TypesOfNames));
    const changed = changedType(wanted, former, types);
    if (changed !== undefined) {
      const reason = reasonOf(changed, former, types);
      const failed = await inner.query<ActionRecord>(failAction, [workspace_id, id, reason]);
      await announceActions(this.#service, inner, failed, trace);
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
      ...trace,
      deadline: Infinity,
    };
    const change = JSON.parse(claimed.change) as ContactChange;
    const apply = (session: Session) =>
      applyAction(this.#service, this.#writers, call, { change, conditions }, ids, session);
    const work = dry_run ? () => rolledBack(inner, apply) : () => apply(inner);
    const { counts, failures } =
      ids.length > 0 ? await withTypesOf(this.#service, workspace_id, work) : noOutcome;
    // The statements of the slice would have compared values of another type.
    const current = await storedTypes(workspaceId, Object.keys(wanted.property ?? {}), inner);
    if (changedType(wanted, types, current) !== undefined) throw typeChanged;
    const formerFailures = JSON.parse(claimed.failures) as ActionFailure[];
    const advanced = await inner.query<ActionRecord>(advanceAction, [
      ...[workspace_id, id, walked.position, walked.examined],
      ...[counts.matched, counts.changed, counts.unchanged, counts.failed],
      JSON.stringify([...formerFailures, ...failures].slice(0, contactActionLimits.failures)),
      walked.isLast,
      // Not before the times of the slice if the clock was set back meanwhile.
      new Date(timeOfId(this.#service.ids.next())).toISOString(),
    ]);
    await announceActions(this.#service, inner, advanced, trace);
    return () => this.#onApplied(counts);
  }

  async postpone(
    { workspace_id, id, trace }: ClaimedAction,
    { counts, attemptsMax }: JobFailure,
    inner: Session,
  ): Promise<void> {
    const key = [workspace_id, id];
    const postponed = await inner.query<ActionRecord>(postponeAction, [
      ...key,
      counts,
      attemptsMax,
    ]);
    await announceActions(this.#service, inner, postponed, traceOfText(trace));
  }
}

type TypesOfNames = Record<string, ContactPropertyType>;

/** A property of a filter whose type is another one. Without a definition, its values are compared as strings. */
const changedType = ({ property = {} }: Filter, some: PropertyTypes, others: PropertyTypes) =>
  Object.keys(property).find(
    (name) => (some.get(name) ?? 'string') !== (others.get(name) ?? 'string'),
  );

/** With another type, a filter selects other contacts, or none: `not:5` all of them. */
function reasonOf(name: string, former: PropertyTypes, types: PropertyTypes): string {
  const [before, now] = [former.get(name) ?? 'string', types.get(name)];
  return `The filter is on the contact property ${name}, which was of the type ${before} when the action was created, and is ${now === undefined ? 'not defined any more' : `of the type ${now} now`}.`;
}

const typeChanged = new Fault('unavailable', 'The type of a property is being changed.');
