import { Migration } from '@mikro-orm/migrations';

/** Requests of workspaces by day, and the reports of gateways that were added. */
export class CreateUsage extends Migration {
  override up(): void {
    this.addSql(`
      create table users.usage_days (
        workspace_id uuid not null,
        day date not null,
        requests bigint not null,
        primary key (workspace_id, day)
      )`);
    this.addSql(`
      create table users.usage_reports (
        gateway uuid not null,
        sequence bigint not null,
        reported_at timestamptz(3) not null default now(),
        primary key (gateway)
      )`);
  }
}
