import { Migration } from '@mikro-orm/migrations';

export class CreateAuditDays extends Migration {
  override up(): void {
    this.addSql(`create table users.audit_days (
      workspace_id uuid not null,
      day date not null,
      entries int not null,
      primary key (workspace_id, day)
    )`);
  }
}
