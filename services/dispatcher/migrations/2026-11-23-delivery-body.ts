import { Migration } from '@mikro-orm/migrations';

/** The body of a delivery that has another one than its event. The previous release sends that of the event. */
export class AddDeliveryBody extends Migration {
  override up(): void {
    this.addSql('alter table dispatcher.deliveries add column body text');
  }
}
