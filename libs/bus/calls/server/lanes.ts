import type { Operation } from '@roster/contracts';
import { steadyNow } from '../../wire.js';
import type { Call } from '../frame/call.js';
import type { Request } from '../frame/request-frame.js';
import { Lane, type LaneOptions } from './lane.js';
import type { Reply } from './reply.js';

/** Limits that apply separately to reads and to writes: a write that waits for a lock does not occupy a slot of a read. */
export interface ServeOptions {
  /** Batches of one kind handled at once. Fewer than the pool has connections, so that waiting writes leave some to reads. */
  concurrency?: number;
  /**
   * Batches of one kind that may wait for a slot. Above that, the last batch of the workspace with the most waiting batches is
   * answered `unavailable`.
   */
  waitingMax?: number;
  /** How long a batch waits for a lock before its calls are handled by workspace. */
  lockMs?: number | undefined;
}

/** Calls of bulk operations handled at once, at most one of each workspace. */
const bulkConcurrency = 2;

/** Batches handled at once of operations that call another service or read the event log. One slot remains for other workspaces. */
const callingLane = { concurrency: 4, workspaceMax: 3 };

/** Searches handled at once. One slot remains for other workspaces. */
const searchingLane = { concurrency: 3, workspaceMax: 2 };

/** Calls handled at once of operations that call the OpenID issuer, which may not answer for seconds. */
const issuerLane = { concurrency: 16 };

/** A batch that a service has received. */
export interface Arrival {
  operation: Operation;
  request: Request;
  reply: Reply;
}

/** The lanes of a service: batches of different kinds do not wait for each other. */
export class Lanes {
  readonly #lanes: Record<
    Operation['access'] | 'calling' | 'issuer' | 'bulk' | 'searching',
    Lane<Arrival>
  >;

  /**
   * @param work must never reject
   * @param onLate called with a batch that is not handled, because all of its calls are late before a slot is free
   */
  constructor(
    work: (arrival: Arrival) => Promise<void>,
    onLate: (arrival: Arrival) => void,
    { concurrency = 8, waitingMax = 64 }: ServeOptions,
  ) {
    const lane = (options: Partial<LaneOptions<Arrival>> = {}) =>
      new Lane<Arrival>(work, {
        concurrency,
        waitingMax,
        workspaceOf: ({ request }) => request.workspaceId,
        isLate: ({ request }) => request.calls.every((call) => isLate(call)),
        onLate,
        ...options,
      });
    const calling = lane(callingLane);
    const bulk = lane({ concurrency: bulkConcurrency, workspaceMax: 1 });
    const searching = lane(searchingLane);
    const issuer = lane(issuerLane);
    this.#lanes = { read: lane(), write: lane(), calling, issuer, bulk, searching };
  }

  /** Returns the batch that is refused because too many wait, if there is one: see `Lane`. */
  take(arrival: Arrival): Arrival | undefined {
    return this.#laneOf(arrival).take(arrival);
  }

  /** Resolves when all accepted batches are handled. */
  async idle(): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.idle()));
  }

  #laneOf({ operation }: Arrival): Lane<Arrival> {
    if (operation.callsServices || operation.readsEventLog) return this.#lanes.calling;
    if (operation.callsIssuer) return this.#lanes.issuer;
    if (operation.bulk) return this.#lanes.bulk;
    if (operation.searches) return this.#lanes.searching;
    return this.#lanes[operation.access];
  }
}

/** Time for an answer to reach the caller, also from a busy process. */
const answerMs = 100;

/**
 * Whether the deadline of a call may pass before an answer arrives. A call that is not handled by then is answered `unavailable`,
 * because nothing was applied, instead of `timeout`, which leaves the outcome open.
 */
export const isLate = ({ deadline }: Pick<Call, 'deadline'>, now = steadyNow()): boolean =>
  now >= deadline - answerMs;
