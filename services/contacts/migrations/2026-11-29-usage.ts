import { Migration } from '@mikro-orm/migrations';

/** Contacts of workspaces at the end of days. */
export class CreateUsageDays extends Migration {
  override up(): void {
    this.addSql(`
      create table contacts.usage_days (
        workspace_id uuid not null,
        day date not null,
        contacts bigint not null,
        primary key (workspace_id, day)
      )`);
  }
}
