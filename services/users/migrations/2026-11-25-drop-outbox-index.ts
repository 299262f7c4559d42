import { Migration } from '@mikro-orm/migrations';

/** Of sweepers that took the oldest rows of all workspaces. It was written with every event. */
export class DropOutboxIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists users.outbox_unpublished');
  }
}
