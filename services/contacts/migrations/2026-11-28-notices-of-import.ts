import { Migration } from '@mikro-orm/migrations';

/** 0 where the former release applies rows, which refuses those that have notices now. */
export class AddNoticesOfImport extends Migration {
  override up(): void {
    this.addSql('alter table contacts.imports add column notices integer not null default 0');
  }
}
