import { Migration } from '@mikro-orm/migrations';

/**
 * For the sweeper what is not published, for the search of a lost tail what is. In one index of both, all that was published
 * since the last vacuum still stands among what is not, and every sweep reads it.
 */
export class IndexOutbox extends Migration {
  override up(): void {
    for (const statement of indexes) this.addSql(statement);
  }
}

const indexes = [
  `drop index users.outbox_stream_seq`,
  `create index outbox_published on users.outbox (stream_seq) where stream_seq is not null`,
  `create index outbox_unpublished on users.outbox (created_at) where stream_seq is null`,
];
