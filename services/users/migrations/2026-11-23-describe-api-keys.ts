import { Migration } from '@mikro-orm/migrations';

/**
 * Names, prefixes, last uses and previous secrets of API keys. The previous release neither writes nor reads them: it refuses a
 * previous secret.
 */
export class DescribeApiKeys extends Migration {
  override up(): void {
    this.addSql(`alter table users.api_keys
      add column name text not null default '',
      add column prefix text,
      add column last_used_at timestamptz(3),
      add column last_used_ip text,
      add column previous_sha256 bytea,
      add column previous_until timestamptz(3)`);
  }
}
