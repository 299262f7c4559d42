import { Migration } from '@mikro-orm/migrations';

/** Null where the former release stores chunks or applies rows. */
export class AddTextsOfImportErrors extends Migration {
  override up(): void {
    this.addSql('alter table contacts.imports add column header text');
    this.addSql('alter table contacts.import_errors add column text text');
  }
}
