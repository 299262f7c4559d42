import { Migration } from '@mikro-orm/migrations';

/** Maximum number of attempts per second. */
export class AddWebhookRate extends Migration {
  override up(): void {
    this.addSql('alter table webhooks.webhooks add column rate_per_second integer');
  }
}
