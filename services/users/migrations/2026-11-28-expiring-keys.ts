import { Migration } from '@mikro-orm/migrations';

/** How many days before its expiry an event last announced it. */
export class AddExpiringKeys extends Migration {
  override up(): void {
    this.addSql('alter table users.api_keys add column announced_days integer');
  }
}
