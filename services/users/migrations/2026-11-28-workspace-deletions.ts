import { Migration } from '@mikro-orm/migrations';

/** How far the deletion of a workspace is. */
export class AddWorkspaceDeletions extends Migration {
  override up(): void {
    this.addSql('alter table users.workspaces add column deletion jsonb');
  }
}
