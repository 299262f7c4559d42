import { Migration } from '@mikro-orm/migrations';

/** The quotas of workspaces. */
export class AddQuotas extends Migration {
  override up(): void {
    this.addSql('alter table users.workspaces add column quota_contacts bigint');
    this.addSql('alter table users.workspaces add column quota_requests_per_day bigint');
  }
}

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
