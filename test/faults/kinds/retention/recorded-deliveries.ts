import { firstIdAfterPast } from './past-events.js';

/** A view with the columns of `dispatcher.deliveries`. */
export const recordedDeliveries = 'faults.deliveries';

/**
 * Statements that make the view. It contains the deliveries of today as the dispatcher has them, and a copy of those of past days,
 * including the ones whose partition was dropped. Those that were pending then are `expired`.
 */
export const recordDeliveries = (): string => `
  create table faults.recorded
    (id uuid primary key, workspace_id uuid, event_id uuid, webhook_id uuid, status text, attempts jsonb);
  create function faults.record() returns trigger language plpgsql security definer as $$
    begin
      insert into faults.recorded
      values (new.id, new.workspace_id, new.event_id, new.webhook_id, new.status, new.attempts)
      on conflict (id) do update set status = excluded.status, attempts = excluded.attempts;
      return null;
    end $$;
  create trigger record after insert or update of status on dispatcher.deliveries
    for each row execute function faults.record();
  create function faults.expire() returns trigger language plpgsql security definer as $$
    begin
      update faults.recorded set status = 'expired' where id = old.delivery_id and status = 'pending';
      return null;
    end $$;
  create trigger expire after delete on dispatcher.queue
    for each row execute function faults.expire();
  create view ${recordedDeliveries} as
    select id, workspace_id, event_id, webhook_id, status, attempts from dispatcher.deliveries
    where id >= '${firstIdAfterPast()}'
    union all
    select * from faults.recorded where id < '${firstIdAfterPast()}';`;

/** How many copied deliveries the dispatcher no longer has, and how many rows of its queue it would never claim. */
export const countDropped = `
  select (select count(*)::int from faults.recorded r
      where not exists (select from dispatcher.deliveries d where d.id = r.id)) as dropped,
    (select count(*)::int from dispatcher.queue q
      where not exists (select from dispatcher.events e where e.id = q.event_id)) as left`;
