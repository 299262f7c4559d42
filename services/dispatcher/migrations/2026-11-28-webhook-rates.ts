import { Migration } from '@mikro-orm/migrations';

/** The attempts that processes were granted for webhooks with a maximum rate. A row that is missing is made when it is needed. */
export class CreateWebhookRates extends Migration {
  override up(): void {
    this.addSql(`
      create table dispatcher.webhook_rates (
        workspace_id uuid not null,
        webhook_id uuid not null,
        free_at timestamptz not null,
        granted integer not null,
        primary key (workspace_id, webhook_id)
      )`);
  }
}
