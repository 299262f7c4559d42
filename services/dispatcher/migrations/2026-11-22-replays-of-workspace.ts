import { Migration } from '@mikro-orm/migrations';

/** The next replay of each workspace. Alone: an index is built concurrently outside of a transaction. */
export class IndexReplaysOfWorkspace extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One workspace may own all: otherwise this index looks as good for one replay as the primary key.
    this.addSql('alter table dispatcher.replays alter column workspace_id set (n_distinct = 1)');
    this.addSql('analyze dispatcher.replays (workspace_id)');
    this.addSql('drop index concurrently if exists dispatcher.replays_of_workspace');
    this.addSql(
      `create index concurrently replays_of_workspace on dispatcher.replays (workspace_id, next_at) where status = 'running'`,
    );
  }
}
