import { Migration } from '@mikro-orm/migrations';

/**
 * From when on a row of the outbox and a message of the stream may have several events: at once in a new schema, otherwise an hour
 * later. Processes of 0.2.0, which run during the rollout and after a rollback, do not understand them.
 */
export class AddEventBatches extends Migration {
  override up(): void {
    this.addSql(
      'alter table contacts.outbox_checkpoint add column batches_from timestamptz not null default now()',
    );
    this.addSql(`
      update contacts.outbox_checkpoint set batches_from = now() + interval '1 hour'
      where exists (select from contacts.migrations where executed_at < now() - interval '1 minute')`);
  }
}
