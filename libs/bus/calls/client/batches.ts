import type { Fault } from '@roster/contracts';
import { randomUUID } from 'node:crypto';
import { SlotTable } from '../../slot-table.js';
import type { OperationQueue } from '../batching/operation-queue.js';
import { settle, type PendingCall } from '../batching/pending-call.js';
import { timedOut } from '../frame/faults.js';

/** Calls that were sent in one message, until they are answered. */
export class Batch {
  /** Part of the reply subject, unique per batch. */
  id = '';
  slot = 0;
  /** The messages of the answer that have arrived. */
  readonly parts: Uint8Array[] = [];

  constructor(
    readonly queue: OperationQueue,
    readonly calls: readonly PendingCall[],
    readonly sentAt: number,
  ) {}

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

/** The batches of a client that are not answered yet, and how many of them NATS has denied. */
export class BatchesInFlight {
  readonly #batches = new SlotTable<Batch>();
  /** By operation. */
  readonly #denials = new Map<string, number>();

  /**
   * Adds a batch, and gives it an ID. Other processes with the same credentials see the IDs of answered batches: if they could
   * guess the next one, they could have the answer of another call sent to it.
   */
  add(batch: Batch): void {
    batch.slot = this.#batches.put(batch);
    batch.id = `${batch.slot}-${randomUUID()}`;
  }

  /** Undefined if all calls of the batch have timed out. */
  find(id: string): Batch | undefined {
    const batch = this.#batches.get(Number.parseInt(id, 10));
    return batch?.id === id ? batch : undefined;
  }

  /** Returns false if the batch was removed before. */
  remove(batch: Batch): boolean {
    if (this.#batches.get(batch.slot) !== batch) return false;
    this.#batches.free(batch.slot);
    return true;
  }

  /** A copy, because batches may be removed during the iteration. */
  items(): Batch[] {
    return this.#batches.items();
  }

  /** NATS denied a batch of the operation, so that no process has received it. It does not report which batch that is. */
  deny(operation: string): void {
    this.#denials.set(operation, (this.#denials.get(operation) ?? 0) + 1);
  }

  /** The batches of an operation once as many are denied; until then none, because one of them may have been received. */
  denied(operation: string): Batch[] {
    const denials = this.#denials.get(operation);
    if (denials === undefined) return [];
    const batches = this.items().filter(({ queue }) => queue.operation.name === operation);
    if (denials < batches.length) return [];
    this.#denials.delete(operation);
    return batches;
  }

  forgetDenials(): void {
    this.#denials.clear();
  }
}
