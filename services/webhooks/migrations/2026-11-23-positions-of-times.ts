import { Migration } from '@mikro-orm/migrations';

/** The positions in the stream of events of the times of a webhook. Empty where the former release writes. */
export class AddPositionsOfTimes extends Migration {
  override up(): void {
    this.addSql(`alter table webhooks.webhooks add column positions jsonb not null default '{}'`);
  }
}
