import { Migration } from '@mikro-orm/migrations';

/** The order of lists by names: see `nameKey` of the contracts. */
export class AddOrderOfNames extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists contacts.contacts_names');
    this.addSql(`create index concurrently contacts_names on contacts.contacts
      (workspace_id, (lower(left(name, 100) collate "C") || E'\\t' || id::text))`);
  }
}
