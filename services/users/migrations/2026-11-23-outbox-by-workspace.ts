import { Migration } from '@mikro-orm/migrations';

/** For sweepers, which take unpublished events of each workspace in turn. */
export class IndexOutboxByWorkspace extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists users.outbox_unpublished_by_workspace');
    this.addSql(
      'create index concurrently outbox_unpublished_by_workspace on users.outbox (workspace_id, created_at) where stream_seq is null',
    );
  }
}
