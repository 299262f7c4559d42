import type { Fault, Operation } from '@roster/contracts';
import { unavailable } from '../frame/faults.js';
import { batchCallsMax } from '../frame/request-frame.js';
import { Absence, surplusOf } from './absence.js';
import { isDropped, settle, type PendingCall } from './pending-call.js';

/**
 * Maximum batch size for writes, for pages of a list, and for reads while other batches are in flight. The service then handles one batch while
 * the answers of another are written. One large batch would alternate between both.
 */
const sharedCallsMax = 64;
/** Maximum size of the calls of a batch. One call always fits. */
export const batchBytesMax = 512 * 1024;
/** Maximum size of the answers expected for a batch of reads. Larger ones cost the service more memory than they save time. */
const answerBytesMax = 192 * 1024;
/** Maximum number of batches in flight. Meanwhile, the next batch grows. */
const inFlightMax = 4;
/** A batch is held back at most this long, so that a hung process does not delay calls that another process could answer. */
const heldMsMax = 50;
/** NATS reports missing responders within this time. A batch without an answer after it was received by a process. */
const absentMs = 50;
/** Maximum number of unanswered calls of one operation, queued or sent. Further calls are refused. */
const openMax = 4096;

export type SendBatch = (queue: OperationQueue, calls: PendingCall[], now: number) => void;

/**
 * The calls of one operation: decides which are sent together, when, and which are refused. Times are `performance.now()`, and
 * passed in everywhere but in the timer of `schedule`.
 */
export class OperationQueue {
  readonly operation: Operation;
  readonly #send: SendBatch;
  /** Maximum number of calls in a batch. One of an operation that may take long is sent alone: no other waits for it. */
  readonly #callsMax: number;
  readonly #absence = new Absence();
  readonly #calls: PendingCall[] = [];
  #open = 0;
  #inFlight = 0;
  /** Moving average over the last batches. */
  #answerBytes = 0;
  /** While the operation has no responders, one batch at a time probes it. The next probe is sent at this time. */
  #probeAt = 0;
  #isScheduled = false;
  #hold: NodeJS.Timeout | null = null;

  constructor(operation: Operation, send: SendBatch) {
    this.operation = operation;
    this.#send = send;
    this.#callsMax = callsMaxOf(operation);
  }

  /** Number of unanswered calls, queued or sent. */
  get open(): number {
    return this.#open;
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

  /** Called by `settle`. */
  close(): void {
    this.#open -= 1;
  }

  /**
   * Sends what may be sent at the end of this turn of the event loop, so that all its calls travel together. On an idle system a
   * batch has one call and is not delayed.
   */
  schedule(): void {
    if (this.#isScheduled || this.#calls.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#hold) clearTimeout(this.#hold);
    this.#hold = null;
    while (this.#calls.length > 0) {
      const now = performance.now();
      const holdMs = this.holdMs(now);
      if (holdMs > 0) {
        this.#hold = setTimeout(() => this.#flush(), holdMs);
        return;
      }
      const calls = this.nextBatch(now);
      if (calls.length > 0) this.#send(this, calls, now);
    }
  }

  /** For how many milliseconds the next batch is held back. */
  holdMs(now: number): number {
    if (this.isAbsent(now)) return this.#probeAt - now;
    return this.#shouldHold() ? heldMsMax - (now - this.#calls[0]!.queuedAt) : 0;
  }

  /**
   * Whether the next batch should wait for a batch in flight to be answered. A small batch would use a slot and a commit,
   * although many callers are about to send again.
   */
  #shouldHold(): boolean {
    if (this.#inFlight === 0) return false;
    const queued = this.#calls.length;
    const sent = this.#open - queued;
    return this.#inFlight >= inFlightMax || queued < Math.min(this.#nextMax(), sent) / 2;
  }

  /** Maximum number of calls in the next batch. */
  #nextMax(): number {
    const most = this.#inFlight > 0 ? Math.min(this.#callsMax, sharedCallsMax) : this.#callsMax;
    if (this.operation.access === 'write') return most;
    return Math.min(most, Math.max(1, Math.floor(answerBytesMax / this.#answerBytes)));
  }

  /**
   * Removes the next batch from the queue, without settled calls. It counts as in flight, unless it is empty, until it is
   * `finished`.
   */
  nextBatch(now: number): PendingCall[] {
    const calls = this.#removeInTurn();
    if (calls.length === 0) return calls;
    if (this.#callsMax === 1) this.#putLast(calls[0]!.caller.workspaceId);
    this.#inFlight += 1;
    // NATS reports missing responders within this time. A batch without such a report has been received.
    if (this.isAbsent(now)) this.#probeAt = now + absentMs;
    return calls;
  }

  /**
   * If not all calls fit into one batch, removes one of each workspace in turn, so that a workspace with many calls delays the
   * others by no more than its share. Calls stay in their order, in the batch and in the queue.
   */
  #removeInTurn(): PendingCall[] {
    const callsMax = this.#nextMax();
    const open = this.#calls.splice(0).filter(({ outcome }) => outcome);
    if (open.length <= callsMax && sumOf(open) <= batchBytesMax) return open;
    const batch = new Set<PendingCall>();
    let bytes = 0;
    let turns = [...Map.groupBy(open, ({ caller }) => caller.workspaceId).values()].map((calls) =>
      calls.values(),
    );
    while (turns.length > 0 && batch.size < callsMax) {
      turns = turns.filter((calls) => {
        if (batch.size >= callsMax) return false;
        const { value: call } = calls.next();
        // What does not fit goes with a later batch, and so do the later calls of its workspace.
        if (!call || (batch.size > 0 && bytes + call.bytes > batchBytesMax)) return false;
        batch.add(call);
        bytes += call.bytes;
        return true;
      });
    }
    this.#calls.push(...open.filter((call) => !batch.has(call)));
    return open.filter((call) => batch.has(call));
  }

  /** Lets the calls of all other workspaces go first. */
  #putLast(workspaceId: string): void {
    const { own = [], others = [] } = Object.groupBy(this.#calls.splice(0), ({ caller }) =>
      caller.workspaceId === workspaceId ? 'own' : 'others',
    );
    this.#calls.push(...others, ...own);
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
    this.#insert(calls.filter((call) => call.outcome));
    return true;
  }

  /** Returns a call to its position in the queue: nothing was applied, because another transaction has a lock that it needs. */
  sendAgain(call: PendingCall): void {
    if (call.outcome) this.#insert([call]);
  }

  #insert(calls: readonly PendingCall[]): void {
    this.#calls.push(...calls);
    this.#calls.sort((one, other) => one.order - other.order);
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

  /**
   * Refuses queued calls whose deadline has passed, or that are abandoned. They are removed with the next batch.
   *
   * @param steadyMs now, as `steadyNow`
   */
  expire(steadyMs: number, onDropped: (call: PendingCall) => void = () => {}): void {
    const now = performance.now();
    for (const call of this.#calls) {
      if (call.deadline <= steadyMs)
        settle(call, unavailable('the deadline passed before the call was sent'));
      if (!isDropped(call, now)) continue;
      onDropped(call);
      settle(call, unavailable('the client closed the connection before the call was sent'));
    }
  }

  /** The connection was lost: refuses all queued calls, and forgets whether the service is absent. */
  clear(fault: Fault): void {
    this.#absence.forget();
    for (const call of this.#calls.splice(0)) settle(call, fault);
  }
}

function callsMaxOf({ input, ...operation }: Operation): number {
  const { access, bulk, searches, callsIssuer, readsEventLog } = operation;
  const isList = 'limit' in ((input as { shape?: object }).shape ?? {});
  if (bulk !== undefined || searches || callsIssuer || (readsEventLog && isList)) return 1;
  if (access === 'write') return sharedCallsMax;
  return isList ? sharedCallsMax : batchCallsMax;
}

const sumOf = (calls: readonly PendingCall[]): number =>
  calls.reduce((sum, { bytes }) => sum + bytes, 0);
