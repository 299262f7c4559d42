import { Migration } from '@mikro-orm/migrations';

/** The former release, which suppresses no address, ignores it. */
export class AddResubscribeOfImport extends Migration {
  override up(): void {
    this.addSql(
      'alter table contacts.imports add column resubscribe boolean not null default false',
    );
  }
}
