import { Migration } from '@mikro-orm/migrations';

/** The primary key has the order of creation: IDs contain its time. Every contact and update was written to the index. */
export class DropCreatedAtIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists contacts.contacts_created_at');
  }
}
