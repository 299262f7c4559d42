import type { Fault, Operation } from '@roster/contracts';
import { steadyNow } from '../../wire.js';
import { unavailable } from '../frame/faults.js';
import { AnswerMemory } from './answer-memory.js';
import type { AnswerReader } from './large-handling.js';
import { LargePace } from './large-pace.js';
import { ReleasedResults } from './released-results.js';
import { dropAbandoned, settle, type PendingCall } from './pending-call.js';

/** After a result of at least this size, the next call of the same workspace is sent alone immediately. */
const rememberedBytesMin = 512 * 1024;
/** Maximum number of pairs of workspace and operation that are remembered. */
const rememberedMax = 1000;
/** Maximum number of calls that wait for memory. Further ones are refused immediately. */
const waitingMax = 1024;
/** Maximum number of those of one workspace. */
const workspaceWaitingMax = 512;
/**
 * Maximum size of the results that calls wait for until their deadline, usually 5 s: at the 50 MB/s that were measured on two
 * busy cores, the last of them waits 4 s.
 */
const queuedBytesMax = 192 * 1024 * 1024;
/** Maximum share of one workspace. */
const workspaceQueuedBytesMax = queuedBytesMax / 2;
/**
 * How long further calls wait. Refused immediately, those of clients that repeat them at once would take the capacity of others:
 * with 256 such clients, neighbours waited 300 ms instead of 15.
 */
const surplusWaitMs = 1000;

interface Waiting {
  call: PendingCall;
  /** Expected size of the result. */
  resultBytes: number;
  /** Size of all copies of the result. */
  bytes: number;
  /** When a surplus call is refused, as `steadyNow`. Others wait until their deadline. */
  refuseAt: number;
}

/**
 * Sends a call alone.
 *
 * @param giveBack ends the reservation of memory for its result
 * @param bytes expected size of it
 */
export type SendLarge = (call: PendingCall, giveBack: () => void, bytes: number) => void;

/**
 * Calls whose results are too large to be sent with others. Each is sent alone when there is memory for its result. Workspaces
 * without a result in memory come first, and then the order of arrival counts. `LargePace` delays calls while other workspaces
 * are active.
 */
export class LargeCalls {
  readonly #send: SendLarge;
  readonly #memory = new AnswerMemory();
  readonly #pace = new LargePace();
  readonly #released = new ReleasedResults();
  readonly #waiting: Waiting[] = [];
  readonly #remembered = new Map<string, number>();
  /** What follows when a reader closes. A reader of many results has one listener: Node warns of more than ten. */
  readonly #held = new WeakMap<AnswerReader, (() => void)[]>();
  #open = 0;
  #pumping = false;

  constructor(send: SendLarge) {
    this.#send = send;
  }

  /** Number of unanswered calls, waiting or sent. */
  get open(): number {
    return this.#open;
  }

  /** A call of any size was made, at `performance.now()`. */
  called(workspaceId: string, now: number): void {
    this.#pace.called(workspaceId, now);
  }

  /** Expected size of the result of a call; undefined unless it is large. */
  expected({ access, name }: Operation, workspaceId: string): number | undefined {
    if (this.#remembered.size === 0 || access === 'write') return undefined;
    return this.#remembered.get(`${name} ${workspaceId}`);
  }

  /** Adds an unanswered call that is in no queue. */
  add(call: PendingCall, bytes: number): void {
    call.queue = this;
    this.#open += 1;
    if (this.#isFull(call.caller.workspaceId)) return settle(call, tooManyWait());
    const copies = call.large.copies ?? 1;
    const waiting = { call, resultBytes: bytes, bytes: bytes * copies, refuseAt: Infinity };
    if (this.#isSurplus(waiting)) waiting.refuseAt = steadyNow() + surplusWaitMs;
    this.#waiting.push(waiting);
    call.large.onWait?.();
    this.pump();
  }

  #isFull(workspaceId: string): boolean {
    return (
      this.#waiting.length >= waitingMax ||
      this.#waiting.filter(isOf(workspaceId)).length >= workspaceWaitingMax
    );
  }

  /** Whether a call exceeds what may wait until the deadline. The first call of a workspace never does. */
  #isSurplus({ call, bytes }: Waiting): boolean {
    const queued = this.#waiting.filter(({ refuseAt }) => refuseAt === Infinity);
    const own = queued.filter(isOf(call.caller.workspaceId));
    if (own.length === 0) return false;
    return sumOf(own) + bytes > workspaceQueuedBytesMax || sumOf(queued) + bytes > queuedBytesMax;
  }

  /** Takes over a call whose result is too large for its batch, unless the call is answered. */
  takeOver(call: PendingCall, bytes: number): void {
    if (!call.outcome) return;
    call.queue.close();
    this.add(call, bytes);
  }

  /** A call that was sent alone is answered. The memory is released when the result is read. */
  answered({ operation, caller, large }: PendingCall, bytes: number, giveBack: () => void): void {
    this.#pace.ended(caller.workspaceId, performance.now());
    const key = `${operation.name} ${caller.workspaceId}`;
    this.#remembered.delete(key);
    if (bytes >= rememberedBytesMin) this.#remembered.set(key, bytes);
    if (this.#remembered.size > rememberedMax)
      this.#remembered.delete(this.#remembered.keys().next().value!);
    this.#whenRead(large.reader, () => {
      giveBack();
      this.#released.add(bytes);
      this.pump();
    });
  }

  /** A call that was sent alone is not answered. */
  failed({ caller }: PendingCall, giveBack: () => void): void {
    this.#pace.ended(caller.workspaceId, performance.now());
    giveBack();
    this.pump();
  }

  #whenRead(reader: AnswerReader | undefined, then: () => void): void {
    // The result is passed on in this turn of the event loop.
    if (!reader || reader.destroyed) return void setImmediate(then);
    const held = this.#held.get(reader);
    if (held) return void held.push(then);
    const all = [then];
    this.#held.set(reader, all);
    reader.once('close', () => {
      for (const one of all) one();
    });
  }

  /**
   * Sends the calls for which there is memory, and removes those that are answered. Workspaces without a result in memory come
   * first. While there is not enough for one of them, it is the next, and workspaces with results in memory get none: their
   * smaller results could otherwise take all that becomes free.
   */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    for (const { call } of this.#waiting)
      if (call.large.reader?.destroyed) settle(call, unavailable('the client has disconnected'));
    const next = this.#sendFitting((workspaceId) => !this.#memory.holds(workspaceId));
    if (next) this.#waiting.unshift(...this.#waiting.splice(this.#waiting.indexOf(next), 1));
    else this.#sendFitting(() => true);
    this.#pumping = false;
  }

  /** Returns the first call of the given workspaces for which there is not enough memory. */
  #sendFitting(isTurnOf: (workspaceId: string) => boolean): Waiting | undefined {
    const now = performance.now();
    let short: Waiting | undefined;
    for (let at = 0; at < this.#waiting.length;) {
      const waiting = this.#waiting[at]!;
      const { call, bytes } = waiting;
      const { workspaceId } = call.caller;
      const isTurn = isTurnOf(workspaceId) && this.#pace.mayStart(workspaceId, now);
      const giveBack = call.outcome && isTurn ? this.#memory.take(workspaceId, bytes) : undefined;
      if (call.outcome && !giveBack) {
        if (isTurn) short ??= waiting;
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      if (!giveBack) continue;
      this.#pace.started(workspaceId, now);
      this.#send(call, giveBack, waiting.resultBytes);
    }
    return short;
  }

  /** Refuses calls that have waited for as long as they may, or that are abandoned. */
  expire(now: number, onDropped: (call: PendingCall) => void = () => {}): void {
    const at = performance.now();
    for (const { call, refuseAt } of this.#waiting) {
      if (call.deadline <= now)
        settle(call, unavailable('the deadline passed before the call was sent'));
      else if (refuseAt <= now) settle(call, tooManyWait());
      dropAbandoned(call, at, onDropped);
    }
    this.#pace.expire(at);
    this.pump();
  }

  clear(fault: Fault): void {
    for (const { call } of this.#waiting.splice(0)) settle(call, fault);
  }

  /** Called by `settle`, and when another queue takes the call over. */
  close(): void {
    this.#open -= 1;
  }
}

const isOf =
  (workspaceId: string) =>
  ({ call }: Waiting): boolean =>
    call.caller.workspaceId === workspaceId;

const sumOf = (calls: readonly Waiting[]): number =>
  calls.reduce((sum, { bytes }) => sum + bytes, 0);

const tooManyWait = (): Fault =>
  unavailable('too many calls are waiting for memory for large results');
