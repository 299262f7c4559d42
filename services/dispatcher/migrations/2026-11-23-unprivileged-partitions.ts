import { Migration } from '@mikro-orm/migrations';

/** Partitions are created and dropped with the privileges of the owner of the schema: the service's role has none for DDL. */
export class CreatePartitionFunctions extends Migration {
  override up(): void {
    this.addSql(createPartitions);
    this.addSql(dropPartition);
  }
}

// Both take one lock: several processes may create and drop concurrently. IDs begin with their time, in milliseconds.
const createPartitions = `create function dispatcher.create_partitions(day date) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  declare
    parent text;
    child text;
    first_id text := lpad(to_hex(extract(epoch from day)::bigint * 1000), 12, '0') || repeat('0', 20);
    next_id text := lpad(to_hex(extract(epoch from day + 1)::bigint * 1000), 12, '0') || repeat('0', 20);
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    foreach parent in array array['events', 'deliveries'] loop
      child := parent || to_char(day, '_YYYYMMDD');
      continue when to_regclass('dispatcher.' || child) is not null;
      execute format('create table dispatcher.%I partition of dispatcher.%I for values from (%L) to (%L)',
        child, parent, first_id::uuid, next_id::uuid);
      -- Otherwise the planner may read all deliveries of a workspace for those of one webhook.
      execute format('alter table dispatcher.%I alter column workspace_id set (n_distinct = 1)', child);
    end loop;
  end $$`;

// Nothing else can be dropped with it.
const dropPartition = `create function dispatcher.drop_partition(name text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    if exists (
      select from pg_inherits where inhrelid = to_regclass(format('dispatcher.%I', name))
        and inhparent in (to_regclass('dispatcher.events'), to_regclass('dispatcher.deliveries'))
    ) then
      execute format('drop table dispatcher.%I', name);
    end if;
  end $$`;
