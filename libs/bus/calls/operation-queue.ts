import { Fault, type Caller, type Operation, type ServiceName } from '@roster/contracts';
import { Absence } from './absence.js';
import { unavailable } from './faults.js';
import { takeInTurn, type BatchRoom } from './take-in-turn.js';

/** A burst of reads that finds nothing in flight travels together. */
const batchCallsMax = 256;
/**
 * While others are in flight, no more than this travel together, and writes never: the service works on some while answers of
 * others are written. In one batch they would be answered, and followed by others, all at once, again and again.
 */
const sharedCallsMax = 64;
export const batchBytesMax = 512 * 1024;
/** Batches of one operation in flight at once; while they are, the next one grows. */
const inFlightMax = 4;
/** Answers that are expected of a batch of reads: more pages at once cost the service more memory than they gain. */
const answerBytesMax = 192 * 1024;
/** A batch is held at most this long for another to come back, lest a hung service holds up its healthy twin. */
const holdMs = 50;
/** Calls of one operation without an answer, queued or sent, before further ones are refused. */
const openMax = 4096;
/**
 * Open calls of operations that nobody serves at this moment. While they wait they hold slots of the gateway, which has 224:
 * the rest is left to calls of other services. Absent services have equal shares; what one does not need, others may use.
 */
const awaitingMax = 128;

/** A call without an answer, or one that is settled and not out of its queue yet. */
export interface PendingCall {
  caller: Caller;
  /** Everything but the caller, as JSON text. */
  encoded: string;
  bytes: number;
  /** Milliseconds since the epoch. */
  deadline: number;
  queuedAt: number;
  /** Calls of a queue are sent in this order. */
  order: number;
  queue: OperationQueue;
  /** Null once the call is settled. */
  outcome: PromiseWithResolvers<Uint8Array> | null;
}

/**
 * The calls of one operation: which travel together, when, and which are refused. It sends nothing and looks at no clock:
 * times are `performance.now()` of whoever asks.
 */
export class OperationQueue {
  readonly operation: Operation;
  readonly #absence = new Absence();
  readonly #calls: PendingCall[] = [];
  #open = 0;
  #inFlight = 0;
  /** Of one call, on the average of the last batches. */
  #answerBytes = 0;
  /** While nobody serves the operation, one batch tries whether somebody does again; the next goes at this time. */
  #probeAt = 0;

  constructor(operation: Operation) {
    this.operation = operation;
  }

  /** Calls without an answer, queued or sent. */
  get open(): number {
    return this.#open;
  }

  /** Calls that are queued. */
  get length(): number {
    return this.#calls.length;
  }

  /** Whether calls wait for a service to come back. */
  isAbsent(now: number): boolean {
    return this.#absence.isShort(now);
  }

  /**
   * What a further call is refused with, if it is.
   *
   * @param queues all that share the room for calls that wait for an absent service
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

  /** For how long the front of the queue is held. */
  holdMs(now: number): number {
    if (this.isAbsent(now)) return this.#probeAt - now;
    return this.#shouldHold() ? holdMs - (now - this.#calls[0]!.queuedAt) : 0;
  }

  /**
   * Whether the next batch gains from waiting until one of those in flight is back. A few calls would take a slot, and a commit,
   * from the many whose answers are about to be back.
   */
  #shouldHold(): boolean {
    if (this.#inFlight === 0) return false;
    const queued = this.#calls.length;
    const sent = this.#open - queued;
    return this.#inFlight >= inFlightMax || queued < Math.min(this.#callsMax(), sent) / 2;
  }

  /** How many calls the next batch may have. */
  #callsMax(): number {
    if (this.operation.access === 'write') return sharedCallsMax;
    const expected = Math.max(1, Math.floor(answerBytesMax / this.#answerBytes));
    return Math.min(this.#inFlight > 0 ? sharedCallsMax : batchCallsMax, expected);
  }

  /**
   * Takes the next batch off the queue, without calls that gave up waiting. If not all fit, workspaces take turns. The batch counts
   * as in flight, unless it is empty, until it is `finished`.
   */
  take(now: number): PendingCall[] {
    const room = { callsMax: this.#callsMax(), bytesMax: batchBytesMax };
    const calls = this.#takeFront(room) ?? takeInTurn(this.#calls, room);
    if (calls.length === 0) return calls;
    this.#inFlight += 1;
    // An answer takes that long at most where nobody serves: what is silent for longer was taken by somebody.
    if (this.isAbsent(now)) this.#probeAt = now + holdMs;
    return calls;
  }

  /** Takes the largest batch off the front of the queue, unless it would leave calls of other workspaces behind. */
  #takeFront({ callsMax, bytesMax }: BatchRoom): PendingCall[] | undefined {
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

  /** A batch is no longer in flight, whatever became of it. */
  finished(): void {
    this.#inFlight -= 1;
  }

  /** A batch was answered. */
  answered(calls: number, bytes: number, sentAt: number): void {
    this.#absence.answered(sentAt);
    this.#answerBytes += (bytes / calls - this.#answerBytes) / 4;
  }

  /**
   * Nobody serves the operation, and nobody can have got the batch: its calls go back to where they were in the queue, a write
   * like a read. Batches come back in any order.
   *
   * @returns false, and they do not go back, when the service has been away for too long
   */
  putBack(calls: readonly PendingCall[], now: number): boolean {
    this.#absence.seen(now);
    if (!this.isAbsent(now)) return false;
    this.#probeAt = now + this.#absence.retryDelayMs(now);
    this.#calls.push(...calls.filter((call) => call.outcome));
    this.#calls.sort((one, other) => one.order - other.order);
    return true;
  }

  /** Refuses calls that are queued, the last first, until the service has no more than its share of those that wait. */
  makeRoom(queues: Iterable<OperationQueue>, now: number): void {
    let surplus = surplusOf(this.operation.service, queues, now);
    while (surplus > 0 && this.#calls.length > 0) {
      const call = this.#calls.pop()!;
      if (call.outcome) surplus -= 1;
      settle(call, this.#tooManyWait());
    }
  }

  /** Refuses the queued calls whose deadline has passed. They leave the queue in their turn. */
  expire(epochMs: number): void {
    for (const call of this.#calls)
      if (call.deadline <= epochMs)
        settle(call, unavailable('the deadline passed before the call was sent'));
  }

  /** The connection broke: what is queued is refused, and nothing is known of the service any more. */
  clear(fault: Fault): void {
    this.#absence.forget();
    for (const call of this.#calls.splice(0)) settle(call, fault);
  }

  /** Only for `settle`. */
  close(): void {
    this.#open -= 1;
  }
}

const isOfOneWorkspace = (calls: readonly PendingCall[]): boolean =>
  calls.every(({ caller }) => caller.workspaceId === calls[0]!.caller.workspaceId);

/** How many of the calls that wait for a service are too many; below zero when there is room for more. */
function surplusOf(service: ServiceName, queues: Iterable<OperationQueue>, now: number): number {
  const awaiting = new Map<ServiceName, number>();
  let total = 0;
  for (const queue of queues) {
    const { operation, open } = queue;
    if (open === 0 || !queue.isAbsent(now)) continue;
    awaiting.set(operation.service, (awaiting.get(operation.service) ?? 0) + open);
    total += open;
  }
  const share = Math.floor(awaitingMax / Math.max(1, awaiting.size));
  return Math.min(total - awaitingMax, (awaiting.get(service) ?? 0) - share);
}

/** A call is answered once: what comes later finds nobody waiting. */
export function settle(call: PendingCall, result: Uint8Array | Fault): void {
  const { outcome, queue } = call;
  if (!outcome) return;
  call.outcome = null;
  queue.close();
  if (result instanceof Fault) outcome.reject(result);
  else outcome.resolve(result);
}
