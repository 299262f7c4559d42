import { Migration } from '@mikro-orm/migrations';

/** Which fields the deliveries of a webhook contain. The previous release sends `compact` to all. */
export class AddWebhookPayload extends Migration {
  override up(): void {
    this.addSql(`alter table webhooks.webhooks add column payload text not null default 'compact'`);
  }
}
