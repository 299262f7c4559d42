import { Migration } from '@mikro-orm/migrations';

/** Workspaces whose deliveries wait. */
export class CreateSuspendedWorkspaces extends Migration {
  override up(): void {
    this.addSql(
      'create table webhooks.suspended_workspaces (workspace_id uuid not null, constraint suspended_workspaces_pkey primary key (workspace_id))',
    );
  }
}
