import { Migration } from '@mikro-orm/migrations';

/** Sweepers that took the oldest rows of all workspaces used the index. Every event was written to it. */
export class DropOutboxIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists contacts.outbox_unpublished');
  }
}
