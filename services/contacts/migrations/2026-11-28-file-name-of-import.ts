import { Migration } from '@mikro-orm/migrations';

/** Null where the former release creates imports. */
export class AddFileNameOfImport extends Migration {
  override up(): void {
    this.addSql('alter table contacts.imports add column file_name text');
  }
}
