import { Migration } from '@mikro-orm/migrations';

/** Which events of contacts a webhook receives; null for all. */
export class AddWebhookFilter extends Migration {
  override up(): void {
    this.addSql('alter table webhooks.webhooks add column filter jsonb');
  }
}
