import { Migration } from '@mikro-orm/migrations';

export class AddTypesOfActionFilters extends Migration {
  override up(): void {
    this.addSql(`alter table contacts.actions add column filter_types text not null default '{}'`);
  }
}
