import { Migration } from '@mikro-orm/migrations';

/** Null until rows are applied, and where the former release applies them. */
export class AddWrittenAtOfImport extends Migration {
  override up(): void {
    this.addSql('alter table contacts.imports add column written_at timestamptz(3)');
  }
}
