import { Migration } from '@mikro-orm/migrations';

/** Attempts of workspaces by day: the hours of their webhooks are not kept for long. */
export class CreateUsageDays extends Migration {
  override up(): void {
    this.addSql(`
      create table dispatcher.usage_days (
        workspace_id uuid not null,
        day date not null,
        attempts bigint not null,
        successes bigint not null,
        primary key (workspace_id, day)
      )`);
  }
}
