import { Migration } from '@mikro-orm/migrations';

/** The keys of unsubscribe links. */
export class CreateUnsubscribeKeys extends Migration {
  override up(): void {
    this.addSql(`create table contacts.unsubscribe_keys (
      workspace_id uuid primary key,
      key bytea not null
    )`);
  }
}
