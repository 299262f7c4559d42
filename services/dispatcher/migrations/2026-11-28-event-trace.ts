import { Migration } from '@mikro-orm/migrations';

/** The trace context of an event, for retries. Processes of the former release leave it out. */
export class AddEventTrace extends Migration {
  override up(): void {
    this.addSql('alter table dispatcher.events add column trace text');
  }
}
