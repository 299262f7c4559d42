import { Migration } from '@mikro-orm/migrations';

/** Due rows of the whole queue. Alone: an index is built concurrently outside of a transaction. */
export class IndexQueueByDueTime extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists dispatcher.queue_by_due_time');
    // Without parked rows: a search for those of one webhook must not read those of all.
    this.addSql(
      `create index concurrently queue_by_due_time on dispatcher.queue (due_at) where due_at < 'infinity'`,
    );
  }
}
