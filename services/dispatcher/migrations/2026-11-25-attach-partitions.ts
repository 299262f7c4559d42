import { Migration } from '@mikro-orm/migrations';

/**
 * `create table … partition of` locks the partitioned table against all other statements. Locking that of the events and then that
 * of the deliveries deadlocks with statements that read or write both in the other order. Attaching a table locks neither.
 * `prepare_day` then only collects first statistics; it stays for the former release, as `create_partitions` does.
 */
export class AttachPartitions extends Migration {
  override up(): void {
    this.addSql(attachDay);
  }
}

// IDs begin with their time, in milliseconds.
const attachDay = `create function dispatcher.attach_day(day date) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  declare
    first_id uuid := lpad(to_hex(extract(epoch from day)::bigint * 1000), 12, '0') || repeat('0', 20);
    next_id uuid := lpad(to_hex(extract(epoch from day + 1)::bigint * 1000), 12, '0') || repeat('0', 20);
    parent text;
    child text;
  begin
    perform pg_advisory_xact_lock(hashtext('roster:dispatcher:partitions'));
    foreach parent in array array['events', 'deliveries'] loop
      child := parent || to_char(day, '_YYYYMMDD');
      continue when to_regclass('dispatcher.' || child) is not null;
      execute format('create table dispatcher.%I (like dispatcher.%I including all excluding indexes)', child, parent);
      -- Otherwise the planner may read all deliveries of a workspace for those of one webhook.
      execute format('alter table dispatcher.%I alter column workspace_id set (n_distinct = 1)', child);
      execute format('alter table dispatcher.%I attach partition dispatcher.%I for values from (%L) to (%L)',
        parent, child, first_id, next_id);
    end loop;
    perform dispatcher.prepare_day(day);
  end $$`;
