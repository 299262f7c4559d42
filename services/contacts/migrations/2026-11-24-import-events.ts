import { Migration } from '@mikro-orm/migrations';

export class AddImportEvents extends Migration {
  override up(): void {
    this.addSql(`alter table contacts.imports add column events text not null default 'each'`);
  }
}
