import type { Statement } from '../database.js';

const leased = `now() + interval '30 seconds'`;

/**
 * Moves events from the outbox to the deliveries of the webhooks that subscribe to them, and returns these. A process that dies
 * afterwards leaves them to `due`.
 */
export const take: Statement = {
  name: 'webhooks.take',
  text: `
    with taken as (
      delete from contacts.outbox where ctid = any (array(
        select ctid from contacts.outbox where stream_seq is null
        order by created_at limit $1 for update skip locked
      ))
      returning workspace_id, id, kind, body
    ), due as (
      insert into hooks.deliveries (workspace_id, id, event_id, webhook_id, body, next_attempt_at)
      select t.workspace_id, gen_random_uuid(), t.id, w.id, t.body, ${leased}
      from taken t join hooks.webhooks w on w.workspace_id = t.workspace_id and t.kind = any (w.kinds)
      returning workspace_id, id, event_id, webhook_id, body
    )
    select (select count(*) from taken)::int as taken, d.workspace_id, d.id, d.event_id, d.body, w.url, w.token
    from (select) as once
      left join due d on true
      left join hooks.webhooks w on w.workspace_id = d.workspace_id and w.id = d.webhook_id`,
};

/** Deliveries whose next attempt is due. */
export const due: Statement = {
  name: 'webhooks.due',
  text: `
    with due as (
      select workspace_id, id from hooks.deliveries
      where status = 'pending' and next_attempt_at <= now()
      order by next_attempt_at limit $1 for update skip locked
    )
    update hooks.deliveries d set next_attempt_at = ${leased}
    from due join hooks.webhooks w using (workspace_id)
    where d.workspace_id = due.workspace_id and d.id = due.id and w.id = d.webhook_id
    returning d.workspace_id, d.id, d.event_id, d.body, w.url, w.token`,
};

/** $6: attempts at most; $7: the first pause between two, in milliseconds. Each pause is twice as long as the one before. */
export const record: Statement = {
  name: 'webhooks.record',
  text: `
    with attempted as (
      update hooks.deliveries d
      set attempts = d.attempts + 1,
        status = case
          when o.status between 200 and 299 then 'delivered' when d.attempts + 1 >= $6::int then 'failed' else 'pending' end,
        next_attempt_at = now() + interval '1 millisecond' * $7::int * 2 ^ d.attempts
      from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::text[]) as o (workspace_id, id, status, ms, error)
      where d.workspace_id = o.workspace_id and d.id = o.id
      returning d.workspace_id, d.id, d.attempts, o.status, o.ms, o.error
    )
    insert into hooks.attempts (workspace_id, delivery_id, number, status, ms, error)
    select workspace_id, id, attempts, status, ms, error from attempted`,
};
