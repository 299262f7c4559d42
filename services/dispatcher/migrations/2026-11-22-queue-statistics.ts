import { Migration } from '@mikro-orm/migrations';

/**
 * One webhook may own all rows of the queue. By its measured number of rows, an index on webhook and due time would look as good
 * for one delivery as the primary key, and each look-up would read all that waits for the webhook.
 */
export class SetQueueStatistics extends Migration {
  override up(): void {
    this.addSql(
      `alter table dispatcher.queue alter column workspace_id set (n_distinct = 1),
       alter column webhook_id set (n_distinct = 1)`,
    );
    this.addSql('analyze dispatcher.queue (workspace_id, webhook_id)');
  }
}
