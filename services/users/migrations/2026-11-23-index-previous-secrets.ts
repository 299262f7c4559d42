import { Migration } from '@mikro-orm/migrations';

/** Keys are also looked up by their previous secret. Few keys have one. */
export class IndexPreviousSecrets extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists users.api_keys_previous_sha256');
    this.addSql(
      'create index concurrently api_keys_previous_sha256 on users.api_keys (previous_sha256) where previous_sha256 is not null',
    );
  }
}
