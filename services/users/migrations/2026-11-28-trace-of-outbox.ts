import { Migration } from '@mikro-orm/migrations';

/** What caused the events of a row, for the sweeper. Processes of the former release leave it out. */
export class AddTraceOfOutbox extends Migration {
  override up(): void {
    this.addSql('alter table users.outbox add column trace text');
  }
}
