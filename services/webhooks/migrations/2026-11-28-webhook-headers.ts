import { Migration } from '@mikro-orm/migrations';

/** Headers that the owner of a webhook adds to its deliveries: encrypted as one JSON object, and their names. */
export class AddWebhookHeaders extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhooks.webhooks
        add column headers_ciphertext text,
        add column header_names text[] not null default '{}'`);
  }
}
