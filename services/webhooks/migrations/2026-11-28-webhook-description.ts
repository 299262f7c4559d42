import { Migration } from '@mikro-orm/migrations';

/** What a webhook is for, in the words of its owner. */
export class AddWebhookDescription extends Migration {
  override up(): void {
    this.addSql('alter table webhooks.webhooks add column description text');
  }
}
