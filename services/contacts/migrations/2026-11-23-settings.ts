import { Migration } from '@mikro-orm/migrations';

export class CreateSettings extends Migration {
  override up(): void {
    this.addSql(`create table contacts.settings (
      workspace_id uuid not null,
      strict_properties boolean not null,
      primary key (workspace_id)
    )`);
  }
}
