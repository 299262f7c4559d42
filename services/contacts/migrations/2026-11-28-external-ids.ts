import { Migration } from '@mikro-orm/migrations';

/** IDs of contacts in another system. The former release writes none, so that it cannot violate the index. */
export class AddExternalIds extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      'alter table contacts.contacts add column if not exists external_id text collate "C"',
    );
    this.addSql('drop index concurrently if exists contacts.contacts_external_id');
    this.addSql(`create unique index concurrently contacts_external_id
      on contacts.contacts (workspace_id, external_id) where external_id is not null`);
  }
}
