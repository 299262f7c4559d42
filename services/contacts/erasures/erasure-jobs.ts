import { steadyNow, type Bus } from '@roster/bus';
import {
  encodeId,
  systemCaller,
  type InputOf,
  type KnownValues,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Session } from '@roster/storage';
import { randomUUID } from 'node:crypto';
import type { JobFailure, JobKind, SliceTrace } from '../jobs/job-runner.js';
import type { ContactsService } from '../service.js';
import {
  collectEvents,
  findBounds,
  isUnpublished,
  removeCollected,
  type EventLog,
} from './erase-events.js';
import { eraseRecords, isInUse } from './erase-records.js';
import {
  advanceErasure,
  advancedValues,
  claimErasure,
  endErasure,
  postponeErasure,
  type Advanced,
  type ClaimedErasure,
} from './erasure-table.js';

/** What erasures need besides the service. */
export interface ErasureParts {
  events: EventLog;
  bus: Pick<Bus, 'call'>;
}

/** How long an erasure waits for what others do: for events to be published or delivered, and for imports and actions. */
const waitMs = 500;
const retryMs = 5000;
/** Shorter than a transaction may be idle. */
const callMs = 5000;

/**
 * Erases what is stored of contacts, whose rows are deleted already. Every slice can be repeated: whatever dies in between, another
 * process does the slice again, and what it would write twice has been removed, or is recognized by the IDs of its events.
 */
export class ErasureJobs implements JobKind<ClaimedErasure> {
  readonly claim = claimErasure;
  readonly #service: ContactsService;
  readonly #parts: ErasureParts;

  constructor(service: ContactsService, parts: ErasureParts) {
    this.#service = service;
    this.#parts = parts;
  }

  describe({ id, step }: ClaimedErasure) {
    return step === 'events' ? undefined : { name: 'process erasure', id: encodeId('erasure', id) };
  }

  async advance(erasure: ClaimedErasure, inner: Session, trace: SliceTrace): Promise<() => void> {
    const done = await this.#steps[erasure.step](erasure, inner, trace);
    if (done === 'wait') {
      await inner.query(postponeErasure, [erasure.workspace_id, erasure.id, waitMs]);
      return () => void setTimeout(() => this.#service.jobs.wake(), waitMs).unref();
    }
    if ('ended' in done)
      await inner.query(endErasure, [erasure.workspace_id, erasure.id, done.ended]);
    else await inner.query(advanceErasure, advancedValues(erasure, done));
    return () => {};
  }

  async postpone(
    { workspace_id, id }: ClaimedErasure,
    _failure: JobFailure,
    inner: Session,
  ): Promise<void> {
    await inner.query(postponeErasure, [workspace_id, id, retryMs]);
  }

  readonly #steps: Record<
    ClaimedErasure['step'],
    (
      erasure: ClaimedErasure,
      inner: Session,
      trace: SliceTrace,
    ) => Promise<Advanced | 'wait' | { ended: number }>
  > = {
    events: async (erasure, inner) => {
      if (erasure.pending !== null) return this.#removeCollected(erasure);
      if (erasure.until !== null)
        return collectEvents(this.#service, this.#parts.events, erasure, inner);
      if ((await isInUse(erasure, inner)) || (await isUnpublished(erasure, inner))) return 'wait';
      return findBounds(this.#parts.events, erasure);
    },
    deliveries: async (erasure, _inner, trace) => {
      const known = JSON.parse(erasure.known) as KnownValues;
      const input = { ...this.#ids(erasure), known, after: erasure.reached };
      const { reached, deliveries, records } = await this.#call(
        'dispatcher.erase-contact',
        input,
        trace,
      );
      return { reached, deliveries, records, ...(reached === null && { step: 'records' }) };
    },
    records: async (erasure, inner) => ({ ended: await eraseRecords(erasure, inner) }),
  };

  /** Not before their deliveries are recorded: afterwards, no dispatcher records anything of these messages any more. */
  async #removeCollected(erasure: ClaimedErasure): Promise<Advanced | 'wait'> {
    const { events } = this.#parts;
    return removeCollected(events, erasure, async (sequence) => {
      const { workspaceId } = this.#ids(erasure);
      const call = { workspaceId, sequence };
      return (await this.#call('dispatcher.is-acknowledged', call)).acknowledged;
    });
  }

  #ids({ workspace_id, contact_id }: ClaimedErasure) {
    return {
      workspaceId: encodeId('workspace', workspace_id),
      contactId: encodeId('contact', contact_id),
    };
  }

  #call<Name extends 'dispatcher.is-acknowledged' | 'dispatcher.erase-contact'>(
    name: Name,
    input: InputOf<Operations[Name]>,
    trace: SliceTrace = {},
  ): Promise<OutputOf<Operations[Name]>> {
    // Workspaces take turns in the bus.
    const caller = { ...systemCaller, workspaceId: input.workspaceId };
    const deadline = steadyNow() + callMs;
    return this.#parts.bus.call(name, input, {
      caller,
      requestId: randomUUID(),
      deadline,
      ...trace,
    });
  }
}
