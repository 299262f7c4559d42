import { Migration } from '@mikro-orm/migrations';

/**
 * Has the planner assume that one workspace may own all rows. The measured average is one row per workspace where there are
 * many small ones, and an index scan for the workspace alone then looks as cheap as one for the whole key.
 */
export class EstimateWorkspaces extends Migration {
  override up(): void {
    this.addSql('alter table contacts.contacts alter column workspace_id set (n_distinct = 1)');
    this.addSql('analyze contacts.contacts (workspace_id)');
  }
}
