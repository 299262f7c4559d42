import { Migration } from '@mikro-orm/migrations';

/**
 * `n_distinct` applies once a table with a row has been analyzed. Until then, and so during the first import of an installation, an
 * index on webhook and due time looks as good for one delivery as the primary key. A table is therefore analyzed with a row that no
 * other transaction sees. `create_partitions` stays for the former release.
 */
export class CollectFirstStatistics extends Migration {
  override up(): void {
    this.addSql(collectFirstStatistics);
    this.addSql(prepareDay);
  }
}

// `pg_stats` shows only the columns that the role may read.
const collectFirstStatistics = `create function dispatcher.collect_first_statistics(name text, analyzed text, row_of_none text)
  returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
  begin
    if exists (select from pg_stats where schemaname = 'dispatcher' and tablename = name) then
      return;
    end if;
    execute format('insert into dispatcher.%I %s', name, row_of_none);
    execute format('analyze dispatcher.%I (%s)', name, analyzed);
    execute format('delete from dispatcher.%I where workspace_id = %L', name, '00000000-0000-0000-0000-000000000000');
  end $$`;

// IDs begin with their time, in milliseconds. One lock for this function and for drop_partition: processes call them concurrently.
const prepareDay = `create function dispatcher.prepare_day(day date) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  declare
    none uuid := '00000000-0000-0000-0000-000000000000';
    first_id uuid := lpad(to_hex(extract(epoch from day)::bigint * 1000), 12, '0') || repeat('0', 20);
    next_id uuid := lpad(to_hex(extract(epoch from day + 1)::bigint * 1000), 12, '0') || repeat('0', 20);
    parent text;
    child text;
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    foreach parent in array array['events', 'deliveries'] loop
      child := parent || to_char(day, '_YYYYMMDD');
      if to_regclass('dispatcher.' || child) is null then
        execute format('create table dispatcher.%I partition of dispatcher.%I for values from (%L) to (%L)',
          child, parent, first_id, next_id);
        -- Otherwise the planner may read all deliveries of a workspace for those of one webhook.
        execute format('alter table dispatcher.%I alter column workspace_id set (n_distinct = 1)', child);
      end if;
      perform dispatcher.collect_first_statistics(child, 'workspace_id', case parent
        when 'events' then format('(workspace_id, id, kind, body) values (%L, %L, '''', '''')', none, first_id)
        else format('(workspace_id, id, event_id, webhook_id, kind, status, attempts)
          values (%1$L, %2$L, %1$L, %1$L, '''', ''skipped'', ''[]'')', none, first_id)
      end);
    end loop;
    perform dispatcher.collect_first_statistics('queue', 'workspace_id, webhook_id',
      format('(workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
        values (%1$L, %1$L, %1$L, %1$L, 0, ''event'', ''infinity'')', none));
    perform dispatcher.collect_first_statistics('replays', 'workspace_id, status',
      format('(workspace_id, id, webhook_id, since, until, total, status)
        values (%1$L, %1$L, %1$L, now(), now(), 0, ''running'')', none));
  end $$`;
