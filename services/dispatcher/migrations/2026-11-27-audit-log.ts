import { Migration } from '@mikro-orm/migrations';

export class CreateAuditLog extends Migration {
  override up(): void {
    this.addSql(`create table dispatcher.audit_log (
      workspace_id uuid not null,
      id uuid not null,
      action text not null,
      actor_id text,
      key_id text,
      address text,
      request_id text not null,
      resource_id text not null,
      before jsonb,
      after jsonb,
      created_at timestamptz(3) not null default now(),
      primary key (workspace_id, id)
    )`);
    this.addSql(`create table dispatcher.audit_days (
      workspace_id uuid not null,
      day date not null,
      entries int not null,
      primary key (workspace_id, day)
    )`);
    this.addSql(
      'create index audit_log_created_at on dispatcher.audit_log using brin (created_at)',
    );
  }
}
