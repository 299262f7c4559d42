import { Migration } from '@mikro-orm/migrations';

/** From when on a webhook receives events, beside its creation. Empty or null where the former release writes. */
export class AddSubscriptionTimes extends Migration {
  override up(): void {
    this.addSql(`alter table webhooks.webhooks
      add column subscribed_at jsonb not null default '{}',
      add column disabled_at timestamptz(3),
      add column enabled_at timestamptz(3)`);
  }
}
