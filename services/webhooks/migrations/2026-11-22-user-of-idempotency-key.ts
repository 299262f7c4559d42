import { Migration } from '@mikro-orm/migrations';

/** Null where the former release writes. */
export class AddUserOfIdempotencyKey extends Migration {
  override up(): void {
    this.addSql('alter table webhooks.idempotency_keys add column user_id uuid');
  }
}
