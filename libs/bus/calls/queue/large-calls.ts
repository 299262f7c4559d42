import type { Fault, Operation } from '@roster/contracts';
import { unavailable } from '../frame/faults.js';
import { AnswerRoom } from './answer-room.js';
import type { AnswerReader } from './large-handling.js';
import { settle, type PendingCall } from './pending-call.js';

/** After a result of at least this size, the next call of the same workspace is sent alone immediately. */
const rememberedBytesMin = 512 * 1024;
/** Maximum number of pairs of workspace and operation that are remembered. */
const rememberedMax = 1000;
/** Maximum number of calls that wait for memory. */
const waitingMax = 1024;
/** Maximum number of those of one workspace. */
const workspaceWaitingMax = 512;

interface Waiting {
  call: PendingCall;
  bytes: number;
}

/** Sends a call alone. `giveBack` ends the reservation of memory for its result. */
export type SendLarge = (call: PendingCall, giveBack: () => void) => void;

/**
 * Calls whose results are too large to be sent with others. Each is sent alone when there is memory for its result, in the
 * order of arrival, except that calls that must wait do not delay those of other workspaces.
 */
export class LargeCalls {
  readonly #send: SendLarge;
  readonly #room = new AnswerRoom();
  readonly #waiting: Waiting[] = [];
  readonly #remembered = new Map<string, number>();
  #open = 0;
  #pumping = false;

  constructor(send: SendLarge) {
    this.#send = send;
  }

  /** Number of unanswered calls, waiting or sent. */
  get open(): number {
    return this.#open;
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
    const { workspaceId } = call.caller;
    const own = this.#waiting.filter(({ call: other }) => other.caller.workspaceId === workspaceId);
    if (this.#waiting.length >= waitingMax || own.length >= workspaceWaitingMax)
      return settle(call, unavailable('too many calls are waiting for memory for large results'));
    this.#waiting.push({ call, bytes: bytes * (call.large.copies ?? 1) });
    call.large.onWait?.();
    this.pump();
  }

  /** Takes over a call whose result is too large for its batch, unless the call is answered. */
  takeOver(call: PendingCall, bytes: number): void {
    if (!call.outcome) return;
    call.queue.close();
    this.add(call, bytes);
  }

  /** A call that was sent alone is answered. The memory is released when the result is read. */
  answered({ operation, caller, large }: PendingCall, bytes: number, giveBack: () => void): void {
    const key = `${operation.name} ${caller.workspaceId}`;
    this.#remembered.delete(key);
    if (bytes >= rememberedBytesMin) this.#remembered.set(key, bytes);
    if (this.#remembered.size > rememberedMax)
      this.#remembered.delete(this.#remembered.keys().next().value!);
    whenRead(large.reader, () => {
      giveBack();
      this.pump();
    });
  }

  /** Sends the calls for which there is memory, and removes those that are answered. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    for (let at = 0; at < this.#waiting.length;) {
      const { call, bytes } = this.#waiting[at]!;
      if (call.large.reader?.destroyed) settle(call, unavailable('the client has disconnected'));
      const giveBack = call.outcome && this.#room.take(call.caller.workspaceId, bytes);
      if (call.outcome && !giveBack) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      if (giveBack) this.#send(call, giveBack);
    }
    this.#pumping = false;
  }

  /** Refuses waiting calls whose deadline has passed. */
  expire(epochMs: number): void {
    for (const { call } of this.#waiting)
      if (call.deadline <= epochMs)
        settle(call, unavailable('the deadline passed before the call was sent'));
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

function whenRead(reader: AnswerReader | undefined, then: () => void): void {
  // The result is passed on in this turn of the event loop.
  if (!reader || reader.destroyed) setImmediate(then);
  else reader.once('close', then);
}
