import type { Database, Statement } from '@roster/storage';
import { momentId } from '../delivery/delivery.js';
import { forgetQueued } from './queue-table.js';

const dayMs = 86_400_000;
const aheadDays = 3;
/** Queue rows that one statement deletes. */
const forgottenMax = 1000;

/**
 * The daily partitions: created ahead of time, dropped after the retention. Several processes may do both concurrently.
 */
export class Partitions {
  readonly #database: Database;
  readonly #retentionDays: number;
  readonly #known = new Set<number>();

  constructor(database: Database, retentionDays: number) {
    this.#database = database;
    this.#retentionDays = retentionDays;
  }

  /** Creates those of today and the next days. */
  async prepare(now = Date.now()): Promise<void> {
    for (let ahead = 0; ahead <= aheadDays; ahead += 1) await this.ensure(now + ahead * dayMs);
  }

  /**
   * Creates missing partitions of the day of a moment. Days that this process knows are not looked up: call `forget` after a
   * failed write, because another process may have dropped one.
   */
  async ensure(ms: number): Promise<void> {
    const day = Math.floor(ms / dayMs);
    if (this.#known.has(day)) return;
    await this.#database.query(createPartitions, [date(day)]);
    this.#known.add(day);
  }

  forget(): void {
    this.#known.clear();
  }

  /** Drops partitions past the retention. Returns the number of pending deliveries that were dropped with them. */
  async drop(now = Date.now()): Promise<number> {
    const oldest = Math.floor(now / dayMs) - this.#retentionDays;
    const rows = await this.#database.query<{ name: string }>(listPartitions, []);
    for (const { name } of rows) {
      const day =
        Date.UTC(
          Number(name.slice(-8, -4)),
          Number(name.slice(-4, -2)) - 1,
          Number(name.slice(-2)),
        ) / dayMs;
      if (day >= oldest) continue;
      await this.#database.query(dropPartition, [name]);
      this.#known.delete(day);
    }
    let pending = 0;
    for (;;) {
      const values = [firstId(oldest), forgottenMax];
      const [portion] = await this.#database.query<{ count: number }>(forgetQueued, values);
      pending += portion!.count;
      if (portion!.count < forgottenMax) return pending;
    }
  }
}

/** `2026-11-21` */
const date = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

const firstId = (day: number): string => momentId(day * dayMs);

// Functions of the owner of the schema: the service's role cannot create or drop tables itself.
const createPartitions: Statement = {
  name: 'dispatcher.create-partitions',
  text: 'select dispatcher.attach_day($1)',
};
export const dropPartition: Statement = {
  name: 'dispatcher.drop-partition',
  text: 'select dispatcher.drop_partition($1)',
};
export const listPartitions: Statement = {
  name: 'dispatcher.list-partitions',
  plan: 'any',
  text: `
    select c.relname as name from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      join pg_class parent on parent.oid = i.inhparent
      join pg_namespace n on n.oid = parent.relnamespace
    where n.nspname = 'dispatcher' and c.relkind = 'r'`,
};
