import type { Fault } from '@roster/contracts';
import type { PublishOptions } from 'nats';
import { timedOut } from '../frame/faults.js';
import { headerOf } from '../../wire.js';
import { isolatedHeader, largeHeader } from '../frame/request-frame.js';
import { settle, type PendingCall } from '../batching/pending-call.js';
import type { Sender } from '../batching/sender.js';
import { AnswerParts } from './answer-parts.js';

/** Calls that were sent in one message, until they are answered. */
export class Batch {
  /** Part of the reply subject, unique per batch. */
  id = '';
  slot = 0;
  isAnswered = false;
  readonly #parts: AnswerParts;

  /**
   * @param giveBack releases the memory reserved for the result of a call that was sent alone; null for other batches
   * @param expectedBytes of such a result
   */
  constructor(
    readonly sender: Sender,
    readonly calls: readonly PendingCall[],
    readonly sentAt: number,
    readonly giveBack: (() => void) | null,
    expectedBytes?: number,
  ) {
    this.#parts = new AnswerParts(expectedBytes);
  }

  /** Whether calls that wait for a lock are deferred: only if the batch may contain calls of other workspaces. */
  get defers(): boolean {
    return this.giveBack === null && this.sender.isolated === undefined;
  }

  /** Options of the message. */
  options(reply: string): PublishOptions {
    const { isolated } = this.sender;
    if (this.giveBack) return { reply, headers: headerOf(largeHeader) };
    if (isolated === undefined) return { reply };
    return { reply, headers: headerOf(isolatedHeader, isolated) };
  }

  add(part: Uint8Array): void {
    this.#parts.add(part);
  }

  /** The whole answer. Its parts are released. */
  takeAnswer(): Uint8Array {
    this.isAnswered = true;
    return this.#parts.take();
  }

  settle(fault: Fault): void {
    for (const call of this.calls) settle(call, fault);
  }

  /** Fails the calls whose deadline has passed. Returns false if none is left. */
  expire(now: number): boolean {
    let open = 0;
    for (const call of this.calls) {
      if (call.deadline <= now) settle(call, timedOut(call.operation));
      if (call.outcome) open += 1;
    }
    return open > 0;
  }
}
