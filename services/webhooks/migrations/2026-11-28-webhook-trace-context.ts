import { Migration } from '@mikro-orm/migrations';

/** Whether deliveries carry the trace context of their events. */
export class AddWebhookTraceContext extends Migration {
  override up(): void {
    this.addSql(
      'alter table webhooks.webhooks add column trace_context boolean not null default false',
    );
  }
}
