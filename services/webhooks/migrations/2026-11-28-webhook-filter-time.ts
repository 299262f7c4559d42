import { Migration } from '@mikro-orm/migrations';

/** When the filter of a webhook was last changed. */
export class AddFilterTime extends Migration {
  override up(): void {
    this.addSql('alter table webhooks.webhooks add column filter_changed_at timestamptz(3)');
  }
}
