import type { Fault, Operation } from '@roster/contracts';
import { unavailable } from '../frame/faults.js';
import { batchCallsMax } from '../frame/request-frame.js';
import { Absence } from './absence.js';
import { surplusOf } from './absent-share.js';
import { dropAbandoned, settle, type PendingCall } from './pending-call.js';
import { takeInTurn, type BatchLimits } from './take-in-turn.js';

/**
 * Maximum batch size for writes, and for reads while other batches are in flight. The service then handles one batch while
 * the answers of another are written. One large batch would alternate between both.
 */
const sharedCallsMax = 64;
export const batchBytesMax = 512 * 1024;

interface Pace {
  /** Maximum number of batches in flight. Meanwhile, the next batch grows. */
  inFlightMax: number;
  /** A batch is held back at most this long, so that a hung process does not delay calls that another process could answer. */
  holdMs: number;
}

const sharedPace: Pace = { inFlightMax: 4, holdMs: 50 };
/** For an isolated workspace. */
export const isolatedPace: Pace = { inFlightMax: 1, holdMs: 5000 };
/** Maximum size of the answers expected for a batch of reads. Larger ones cost the service more memory than they save time. */
const answerBytesMax = 192 * 1024;
/** NATS reports missing responders within this time. A batch without an answer after it was received by a process. */
const absentMs = 50;
/** Maximum number of unanswered calls of one operation, queued or sent. Further calls are refused. */
const openMax = 4096;

/**
 * The calls of one operation: decides which are sent together, when, and which are refused. It does no I/O and reads no
 * clock: times are passed in, as `performance.now()`.
 */
export class OperationQueue {
  readonly operation: Operation;
  readonly #pace: Pace;
  readonly #absence = new Absence();
  readonly #calls: PendingCall[] = [];
  #open = 0;
  #inFlight = 0;
  /** Moving average over the last batches. */
  #answerBytes = 0;
  /** While the operation has no responders, one batch at a time probes it. The next probe is sent at this time. */
  #probeAt = 0;

  constructor(operation: Operation, pace = sharedPace) {
    this.operation = operation;
    this.#pace = pace;
  }

  /** Number of unanswered calls, queued or sent. */
  get open(): number {
    return this.#open;
  }

  /** Number of batches in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of queued calls. */
  get length(): number {
    return this.#calls.length;
  }

  /** Whether calls wait for an absent service. */
  isAbsent(now: number): boolean {
    return this.#absence.isShort(now);
  }

  /**
   * The fault that refuses a further call, or undefined if it is accepted.
   *
   * @param queues all queues that share the limit of calls to absent services
   */
  refusal(queues: Iterable<OperationQueue>, now: number): Fault | undefined {
    if (this.#open >= openMax) return unavailable('too many calls are waiting');
    if (!this.isAbsent(now) || surplusOf(this.operation.service, queues, now) < 0) return undefined;
    return this.#tooManyWait();
  }

  #tooManyWait(): Fault {
    return unavailable(`too many calls are waiting for ${this.operation.name}`);
  }

  add(call: PendingCall): void {
    this.#open += 1;
    this.#calls.push(call);
  }

  /** Counts a call that was sent alone and is returned to this queue with `putBack`. */
  adopt(call: PendingCall): void {
    if (!call.outcome) return;
    call.queue.close();
    call.queue = this;
    this.#open += 1;
  }

  /** For how many milliseconds the front of the queue is held back. */
  holdMs(now: number): number {
    if (this.isAbsent(now)) return this.#probeAt - now;
    return this.#shouldHold() ? this.#pace.holdMs - (now - this.#calls[0]!.queuedAt) : 0;
  }

  /**
   * Whether the next batch should wait for a batch in flight to be answered. A small batch would use a slot and a commit,
   * although many callers are about to send again.
   */
  #shouldHold(): boolean {
    if (this.#inFlight === 0) return false;
    const queued = this.#calls.length;
    const sent = this.#open - queued;
    return (
      this.#inFlight >= this.#pace.inFlightMax || queued < Math.min(this.#callsMax(), sent) / 2
    );
  }

  /** Whether one call may take long: no other waits for it in a batch. */
  get #isSentAlone(): boolean {
    return this.operation.bulk !== undefined || this.operation.searches === true;
  }

  /** Maximum number of calls in the next batch. */
  #callsMax(): number {
    if (this.#isSentAlone) return 1;
    if (this.operation.access === 'write') return sharedCallsMax;
    const expected = Math.max(1, Math.floor(answerBytesMax / this.#answerBytes));
    return Math.min(this.#inFlight > 0 ? sharedCallsMax : batchCallsMax, expected);
  }

  /**
   * Takes the next batch off the queue, without settled calls. If not all fit, workspaces take turns. The batch counts
   * as in flight, unless it is empty, until it is `finished`.
   */
  take(now: number): PendingCall[] {
    const limits = { callsMax: this.#callsMax(), bytesMax: batchBytesMax };
    const calls = this.#takeFront(limits) ?? takeInTurn(this.#calls, limits);
    if (calls.length === 0) return calls;
    if (this.#isSentAlone) this.#putLast(calls[0]!.caller.workspaceId);
    this.#inFlight += 1;
    // NATS reports missing responders within this time. A batch without such a report has been received.
    if (this.isAbsent(now)) this.#probeAt = now + absentMs;
    return calls;
  }

  /** Lets the calls of all other workspaces go first. */
  #putLast(workspaceId: string): void {
    const { own = [], others = [] } = Object.groupBy(this.#calls.splice(0), ({ caller }) =>
      caller.workspaceId === workspaceId ? 'own' : 'others',
    );
    this.#calls.push(...others, ...own);
  }

  /** Takes the largest batch off the front of the queue, unless it would leave calls of other workspaces behind. */
  #takeFront({ callsMax, bytesMax }: BatchLimits): PendingCall[] | undefined {
    const queue = this.#calls;
    let bytes = 0;
    let end = 0;
    while (end < queue.length && end < callsMax) {
      bytes += queue[end]!.bytes;
      if (end > 0 && bytes > bytesMax) break;
      end += 1;
    }
    if (end < queue.length && !isOfOneWorkspace(queue)) return undefined;
    return queue.splice(0, end).filter((call) => call.outcome);
  }

  /** Removes the queued calls of a workspace, or all calls, so that they can be moved to another queue. */
  withdraw(workspaceId?: string): PendingCall[] {
    const calls = this.#calls.splice(0);
    if (workspaceId === undefined) return calls;
    const isOwn = ({ caller }: PendingCall) => caller.workspaceId === workspaceId;
    this.#calls.push(...calls.filter((call) => !isOwn(call)));
    return calls.filter(isOwn);
  }

  /** A batch is no longer in flight, whatever its outcome. */
  finished(): void {
    this.#inFlight -= 1;
  }

  /** A batch was answered. */
  answered(calls: number, bytes: number, sentAt: number): void {
    this.#absence.answered(sentAt);
    this.#answerBytes += (bytes / calls - this.#answerBytes) / 4;
  }

  /**
   * The operation has no responders, so no process has received the batch. Its calls return to their positions in the queue,
   * both reads and writes. Batches may return in any order.
   *
   * @returns false, without queueing the calls, if the service has been absent for too long
   */
  putBack(calls: readonly PendingCall[], now: number): boolean {
    this.#absence.seen(now);
    if (!this.isAbsent(now)) return false;
    this.#probeAt = now + this.#absence.retryDelayMs(now);
    this.#calls.push(...calls.filter((call) => call.outcome));
    this.#calls.sort((one, other) => one.order - other.order);
    return true;
  }

  /** Refuses queued calls, the last first, until the service is within its share of the waiting calls. */
  makeRoom(queues: Iterable<OperationQueue>, now: number): void {
    let surplus = surplusOf(this.operation.service, queues, now);
    while (surplus > 0 && this.#calls.length > 0) {
      const call = this.#calls.pop()!;
      if (call.outcome) surplus -= 1;
      settle(call, this.#tooManyWait());
    }
  }

  /** Refuses queued calls whose deadline has passed, or that are abandoned. They are removed when they reach the front. */
  expire(now: number, onDropped: (call: PendingCall) => void = () => {}): void {
    const at = performance.now();
    for (const call of this.#calls) {
      if (call.deadline <= now)
        settle(call, unavailable('the deadline passed before the call was sent'));
      dropAbandoned(call, at, onDropped);
    }
  }

  /** The connection was lost: refuses all queued calls, and forgets whether the service is absent. */
  clear(fault: Fault): void {
    this.#absence.forget();
    for (const call of this.#calls.splice(0)) settle(call, fault);
  }

  /** Called by `settle`, and when another queue takes the call over. */
  close(): void {
    this.#open -= 1;
  }
}

const isOfOneWorkspace = (calls: readonly PendingCall[]): boolean =>
  calls.every(({ caller }) => caller.workspaceId === calls[0]!.caller.workspaceId);

/** Moves unanswered calls to another queue. */
export function move(calls: readonly PendingCall[], queue: OperationQueue): void {
  for (const call of calls) {
    if (!call.outcome) continue;
    call.queue.close();
    call.queue = queue;
    queue.add(call);
  }
}
