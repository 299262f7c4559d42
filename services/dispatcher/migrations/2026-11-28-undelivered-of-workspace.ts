import { Migration } from '@mikro-orm/migrations';

/**
 * Deliveries of a workspace that are not delivered, which are few. A concurrent build is impossible for a partitioned table: the index
 * of each partition is built in a transaction of its own, so that only the deliveries of one day wait, as long as that takes. The
 * deliveries of days that are attached meanwhile get it with the table.
 */
export class IndexUndeliveredOfWorkspace extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(indexPartitions);
    this.addSql(
      `create index if not exists deliveries_undelivered_of_workspace on only dispatcher.deliveries (workspace_id, id) where status <> 'delivered'`,
    );
    this.addSql('call dispatcher.index_undelivered()');
    this.addSql('drop procedure dispatcher.index_undelivered()');
  }
}

// A partition has the index of a run that was interrupted, or was attached since the first statement.
const indexPartitions = `create or replace procedure dispatcher.index_undelivered() language plpgsql as $$
  declare
    part text;
  begin
    for part in
      select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'dispatcher.deliveries'::regclass and not exists (
        select from pg_catalog.pg_index x join pg_catalog.pg_inherits p on p.inhrelid = x.indexrelid
        where x.indrelid = c.oid and p.inhparent = 'dispatcher.deliveries_undelivered_of_workspace'::regclass
      )
      order by c.relname
    loop
      execute format('create index %1$I on dispatcher.%2$I (workspace_id, id) where status <> ''delivered''', part || '_undelivered', part);
      execute format('alter index dispatcher.deliveries_undelivered_of_workspace attach partition dispatcher.%I', part || '_undelivered');
      commit;
    end loop;
  end $$`;
