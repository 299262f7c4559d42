import { Migration } from '@mikro-orm/migrations';

/** What webhooks with `payload: "full"` receive beside the body of an event. Null where the previous release writes. */
export class AddEventDetails extends Migration {
  override up(): void {
    this.addSql('alter table contacts.outbox add column details text');
  }
}
