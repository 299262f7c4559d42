import type { Statement } from '@roster/service/storage';

/** The replay whose step is due longest. */
export const claimReplay: Statement = {
  name: 'dispatcher.claim-replay',
  text: `
    select workspace_id, id, webhook_id, (extract(epoch from since) * 1000)::float8 as since_ms,
      (extract(epoch from until) * 1000)::float8 as until_ms, delivery_status, kinds, reached
    from dispatcher.replays
    where status = 'running' and next_at <= now()
    order by next_at limit 1 for update skip locked`,
};

/** Records how far a replay came, and when its next step is due. */
export const advanceReplay: Statement = {
  name: 'dispatcher.advance-replay',
  text: `
    update dispatcher.replays
    set done = done + $3, reached = coalesce($4, reached), next_at = now() + interval '1 second',
      status = case when $5 then 'completed' else status end
    where workspace_id = $1 and id = $2`,
};
