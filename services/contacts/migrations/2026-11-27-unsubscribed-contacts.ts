import { Migration } from '@mikro-orm/migrations';

/** The index of the status had an entry for every contact, and was written by every update. Few contacts are unsubscribed. */
export class IndexUnsubscribedContacts extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists contacts.contacts_unsubscribed');
    this.addSql(
      `create index concurrently contacts_unsubscribed on contacts.contacts (workspace_id, id) where status = 'unsubscribed'`,
    );
    this.addSql('drop index concurrently if exists contacts.contacts_status');
  }
}
