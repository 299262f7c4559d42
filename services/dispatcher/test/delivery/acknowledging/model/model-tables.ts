import type { Statement } from '@roster/storage';
import { deliveriesOf } from './model-events.js';

/** The tables of the dispatcher in memory. Every statement is atomic. */
export class ModelTables {
  readonly #deliveries = new Set<string>();
  /** Number of times that each delivery was recorded, including those that changed nothing. */
  readonly written = new Map<string, number>();
  #hasPartition = false;

  query({ name }: Statement, values: readonly unknown[]): unknown[] {
    const effect = this.#effects[name];
    if (!effect) throw new Error(`the model knows no ${name}`);
    return effect(values);
  }

  hasOutcomes(event: string): boolean {
    return deliveriesOf(event).every((id) => this.#deliveries.has(id));
  }

  makePartition(): void {
    this.#hasPartition = true;
  }

  /** By another process whose clock is ahead. A partition with deliveries is kept far longer than their events. */
  dropEmptyPartition(): void {
    if (this.#deliveries.size === 0) this.#hasPartition = false;
  }

  readonly #effects: Record<string, (values: readonly unknown[]) => unknown[]> = {
    'dispatcher.record-first': ([, ids]) => {
      if (!this.#hasPartition)
        throw new Error('no partition of relation "deliveries" found for row');
      for (const id of ids as string[]) {
        this.#deliveries.add(id);
        this.written.set(id, (this.written.get(id) ?? 0) + 1);
      }
      return [];
    },
    'dispatcher.recorded': ([, ids]) =>
      (ids as string[]).filter((id) => this.#deliveries.has(id)).map((id) => ({ id })),
    'dispatcher.count-attempts': () => [],
  };
}
