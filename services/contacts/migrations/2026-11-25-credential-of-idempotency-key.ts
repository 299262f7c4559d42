import { Migration } from '@mikro-orm/migrations';

/** Null where the former release writes. */
export class AddCredentialOfIdempotencyKey extends Migration {
  override up(): void {
    this.addSql('alter table contacts.idempotency_keys add column credential text');
  }
}
