/**
 * The SQL statements on `dispatcher.queue`: a delivery has a row there exactly while it is pending. Statements that change many rows
 * of one webhook are in `queue-moves.ts`.
 *
 * All of them lock rows in one order, so that no two deadlock:
 *
 * 1. rows of `queue`, in the order of their primary key, or with `skip locked`, which does not wait;
 * 2. rows of `deliveries`, each only by the holder of its row of `queue`;
 * 3. rows of `dead_announcements`, in the order of their primary key, and then rows of the outbox, which are new.
 *
 * New deliveries are inserted before their queue rows, by `test-webhook.ts` too: no other transaction sees either yet.
 */
import type { Statement } from '@roster/storage';
import { queuedWebhooks } from './queued-webhooks.js';

/** Due rows up to which a claim reads only these, and not the webhooks of the whole queue. */
const fewDue = 1000;
/** Webhooks that a claim visits if more rows are due. */
const visitedMax = 256;

/**
 * Leases due rows: a few of each webhook, and of each workspace at most its room. Workspaces take turns, beginning with the one
 * that has the fewest deliveries in flight, and so do the webhooks of each. A row is leased until its new due time.
 *
 * If few rows are due, only their webhooks are visited, however many wait. Otherwise the rows that were due first may all belong
 * to one webhook, and the next webhooks of the queue are visited, after the workspace $11 and the webhook $12. The first columns
 * are the last of these webhooks, or null if no others follow. A row without a delivery means that none was claimed.
 */
export const claimDue: Statement = {
  name: 'dispatcher.claim',
  text: `
    with recursive due as materialized (
      select workspace_id, webhook_id from dispatcher.queue
      where due_at <= now() and due_at < 'infinity' order by due_at limit ${fewDue + 1}
    ), many as materialized (
      select 1 from due offset ${fewDue}
    ), ${queuedWebhooks({ after: '$11, $12', when: 'exists (select 1 from many)', max: visitedMax })}, webhooks as (
      select distinct workspace_id, webhook_id from due where not exists (select 1 from many)
      union all
      select workspace_id, webhook_id from queued
    ), candidates as (
      select c.*, row_number() over (partition by c.workspace_id, c.webhook_id order by c.due_at) as of_webhook
      from (select * from webhooks where webhook_id <> all ($5::uuid[])) w, lateral (
        select q.workspace_id, q.webhook_id, q.delivery_id, q.due_at from dispatcher.queue q
        where q.workspace_id = w.workspace_id and q.webhook_id = w.webhook_id and q.due_at <= now()
        order by q.due_at limit case when w.webhook_id = any ($6::uuid[]) then 1 else $1 end
      ) c
    ), ranked as (
      select c.*, coalesce(b.taken, 0) as taken, coalesce(b.room, $10::int) as room,
        row_number() over (partition by c.workspace_id order by c.of_webhook, c.due_at) as of_workspace
      from candidates c
        left join unnest($7::uuid[], $8::int[], $9::int[]) as b (workspace_id, taken, room) using (workspace_id)
    ), chosen as (
      select * from ranked where of_workspace <= room order by taken + of_workspace, due_at limit $2
    ), locked as (
      select q.workspace_id, q.webhook_id, q.delivery_id
      from dispatcher.queue q join chosen c using (workspace_id, webhook_id, delivery_id)
      where q.due_at <= now()
      for update of q skip locked
    ), leased as (
      update dispatcher.queue q
      set lease = $3, due_at = now() + $4 * interval '1 second'
      from locked l
      where q.workspace_id = l.workspace_id and q.webhook_id = l.webhook_id and q.delivery_id = l.delivery_id
      returning q.*
    ), claimed as (
      select q.workspace_id, q.webhook_id, q.delivery_id, q.event_id, q.attempts, q.trigger, e.kind, e.body, e.trace,
        (select d.body from dispatcher.deliveries d where d.workspace_id = q.workspace_id and d.id = q.delivery_id) as own_body
      from leased q join dispatcher.events e on e.workspace_id = q.workspace_id and e.id = q.event_id
    ), reached as (
      select workspace_id as reached_workspace_id, webhook_id as reached_webhook_id from queued where n = ${visitedMax}
    )
    select * from (select) always left join reached on true left join claimed on true`,
};

/** Extends leases, except of rows that another process has claimed since. A locked row is being recorded. */
export const renewLeases: Statement = {
  name: 'dispatcher.renew-leases',
  text: `
    with held as (
      select q.workspace_id, q.webhook_id, q.delivery_id
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) as i (workspace_id, webhook_id, delivery_id, lease)
        join dispatcher.queue q using (workspace_id, webhook_id, delivery_id, lease)
      for update of q skip locked
    )
    update dispatcher.queue q set due_at = now() + $5 * interval '1 second'
    from held h
    where q.workspace_id = h.workspace_id and q.webhook_id = h.webhook_id and q.delivery_id = h.delivery_id`,
};

/**
 * Records the outcomes of fresh deliveries. A delivery that is recorded already is not changed: its event was delivered twice. The
 * body of an event is stored once, and that of a delivery with it if it is another one. A delivery was created when it was made,
 * before its attempt, but never after now, if the clock of the process is ahead. Returns the dead deliveries that it recorded.
 */
export const recordFirst: Statement = {
  name: 'dispatcher.record-first',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::jsonb[], $10::float8[], $11::int[], $12::text[], $13::float8[], $14::text[], $15::text[])
        as i (workspace_id, id, event_id, webhook_id, kind, body, status, reason, attempts, due_in, made, trigger,
          created_ms, own_body, trace)
    ), stored as (
      insert into dispatcher.events (workspace_id, id, kind, body, trace)
      select distinct on (workspace_id, event_id) workspace_id, event_id, kind, body, trace from input
      order by workspace_id, event_id
      on conflict do nothing
    ), written as (
      insert into dispatcher.deliveries
        (workspace_id, id, event_id, webhook_id, kind, body, status, reason, attempts, created_at, completed_at)
      select workspace_id, id, event_id, webhook_id, kind, own_body, status, reason, attempts,
        least(now(), to_timestamp(created_ms / 1000)), case when status <> 'pending' then now() end
      from input order by workspace_id, id
      on conflict do nothing
      returning workspace_id, id, status
    ), queued as (
      insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
      select workspace_id, webhook_id, id, event_id, made, trigger, now() + due_in * interval '1 second'
      from input join written using (workspace_id, id)
      where input.status = 'pending'
    )
    select id from written where status = 'dead'`,
};

/**
 * Records the outcomes of claimed deliveries. Only the holder of the lease may write: after its end another process may have claimed
 * the row, and a late outcome is dropped. Returns the dead deliveries that it recorded.
 */
export const recordClaimed: Statement = {
  name: 'dispatcher.record-again',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::jsonb[],
        $8::float8[], $9::int[], $10::text[])
        as i (workspace_id, id, webhook_id, lease, status, reason, attempts, due_in, made, trigger)
    ), held as (
      select q.workspace_id, q.webhook_id, q.delivery_id, i.status, i.reason, i.attempts, i.due_in, i.made, i.trigger
      from dispatcher.queue q
        join input i on i.workspace_id = q.workspace_id and i.webhook_id = q.webhook_id and i.id = q.delivery_id
          and i.lease = q.lease
      order by q.workspace_id, q.webhook_id, q.delivery_id
      for update of q
    ), kept as (
      update dispatcher.queue q
      set due_at = case when h.due_in < 'infinity' then now() + h.due_in * interval '1 second' else 'infinity' end,
        attempts = h.made, trigger = h.trigger, lease = null
      from held h
      where h.status = 'pending' and q.workspace_id = h.workspace_id and q.webhook_id = h.webhook_id
        and q.delivery_id = h.delivery_id
    ), done as (
      delete from dispatcher.queue q using held h
      where h.status <> 'pending' and q.workspace_id = h.workspace_id and q.webhook_id = h.webhook_id
        and q.delivery_id = h.delivery_id
    ), written as (
      update dispatcher.deliveries d
      set status = h.status, reason = h.reason, attempts = d.attempts || h.attempts,
        completed_at = case when h.status <> 'pending' then now() end
      from held h where d.workspace_id = h.workspace_id and d.id = h.delivery_id
      returning d.id, d.status
    )
    select id from written where status = 'dead'`,
};

/**
 * A manual retry: makes a delivery due, whatever its status. A delivery whose attempt is in flight is not changed. A lease that has
 * ended is removed: the late outcome of its attempt would otherwise replace the retry. The queue row is locked first; the number of
 * attempts is read before that, and may not include one that is being recorded.
 */
export const requeue: Statement = {
  name: 'dispatcher.requeue',
  text: `
    with delivery as (
      select workspace_id, webhook_id, id, event_id, jsonb_array_length(attempts) as made
      from dispatcher.deliveries where workspace_id = $1 and id = $2
    ), queued as (
      insert into dispatcher.queue as q (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
      select workspace_id, webhook_id, id, event_id, made, 'manual', now() from delivery
      on conflict (workspace_id, webhook_id, delivery_id) do update
        set due_at = now(), trigger = excluded.trigger, lease = null
        where q.lease is null or q.due_at <= now()
      returning q.workspace_id, q.delivery_id
    )
    update dispatcher.deliveries d
    set status = 'pending', reason = null, completed_at = null
    from queued q where d.workspace_id = q.workspace_id and d.id = q.delivery_id returning 1`,
};

/** Puts the next deliveries of a replay into the queue. A delivery that is in the queue keeps its row, and counts as replayed. */
export const enqueueReplay: Statement = {
  name: 'dispatcher.enqueue-replay',
  text: `
    with picked as (
      select workspace_id, id, webhook_id, event_id, jsonb_array_length(attempts) as made
      from dispatcher.deliveries
      where workspace_id = $1 and webhook_id = $2 and id > $3 and id >= $4 and id < $5
        and ($6::text is null or status = $6) and ($7::text[] is null or kind = any ($7))
      order by id limit $8
    ), queued as (
      insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
      select workspace_id, webhook_id, id, event_id, made, 'replay', now() from picked
      on conflict do nothing
      returning workspace_id, delivery_id
    ), requeued as (
      update dispatcher.deliveries d
      set status = 'pending', reason = null, completed_at = null
      from queued q where d.workspace_id = q.workspace_id and d.id = q.delivery_id
    )
    select count(*)::float8 as count, (array_agg(id order by id desc))[1] as reached from picked`,
};

/**
 * Deletes at most $2 rows of deliveries past their retention, of all workspaces, and counts them. Locked rows are left to the
 * next run. Written as `=`, the conditions of the join may be a filter of a scan of the whole queue, planned for an almost empty table.
 */
export const forgetQueued: Statement = {
  name: 'dispatcher.forget-queued',
  text: `
    with recursive ${queuedWebhooks()}, held as (
      select q.ctid as tid from queued w
        join dispatcher.queue q on q.workspace_id = any (array[w.workspace_id]) and q.webhook_id = any (array[w.webhook_id])
          and q.delivery_id < $1
      limit $2 for update of q skip locked
    ), gone as (
      delete from dispatcher.queue q using held h where q.ctid = h.tid returning 1
    )
    select count(*)::int as count from gone`,
};

/** Deliveries of all workspaces are counted, for metrics. */
export const queueDepth: Statement = {
  name: 'dispatcher.queue-depth',
  plan: 'any',
  text: `
    select count(*)::int as waiting, (count(*) filter (where due_at <= now()))::int as due
    from dispatcher.queue`,
};

/** Joins deliveries `d` with their queue rows, as `q`. */
export const joinQueue = `
  left join dispatcher.queue q
    on q.workspace_id = d.workspace_id and q.webhook_id = d.webhook_id and q.delivery_id = d.id`;

/** Which deliveries are recorded, and whether a pending one has no row in the queue. */
export const readStates: Statement = {
  name: 'dispatcher.delivery-states',
  text: `
    select d.id, d.status = 'pending' and q.delivery_id is null as unqueued
    from dispatcher.deliveries d
      left join dispatcher.queue q
        on q.workspace_id = d.workspace_id and q.webhook_id = d.webhook_id and q.delivery_id = d.id
    where d.workspace_id = $1 and d.id = any ($2::uuid[])`,
};

/** Of all workspaces, as due deliveries are claimed. */
export const readOverdue: Statement = {
  name: 'dispatcher.overdue',
  text: `
    select workspace_id as "workspaceId", webhook_id as "webhookId", delivery_id as id, event_id as "eventId"
    from dispatcher.queue where due_at < now() - $1 * interval '1 second' order by due_at limit $2`,
};
