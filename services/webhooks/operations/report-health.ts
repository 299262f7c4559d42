import type { Call, Handler } from '@roster/bus';
import { encodeId, notFound, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import { makeEvent, type Statement } from '@roster/storage';
import { disableAutomatically } from './disable-webhook.js';
import type { Webhook } from '../entities/webhook.entity.js';
import type { WebhooksService } from '../service.js';
import { webhookKey, webhookOfEvent } from '../webhook.js';

type ReportHealth = Operations['webhooks.report-health'];

/**
 * Records reports of dispatchers, with one statement per batch, and then disables webhooks that have only failed for too long,
 * each in a transaction of its own. If this process dies in between, the next report disables them. Only disabling is broadcast:
 * otherwise dispatchers would clear their cache of a workspace every few seconds.
 *
 * Several dispatchers send to one webhook, and each sees only its own attempts: the failures that one reports may precede a
 * success of another, or the re-enabling of the webhook. A report therefore proves only that an attempt failed at
 * `failingSince`, one failed at `lastFailureAt`, and one succeeded at `lastSuccessAt`. The webhook is failing since the first
 * known failure after the last known success. The latest times and the set of failures after the last success are stored, so
 * that the state does not depend on the order or the repetition of reports.
 *
 * The transaction of the report writes the event that a webhook begins to fail: once after each success or enabling, and not within
 * an hour after the last one, because a receiver may fail every few seconds. One that still fails then is announced by the next report.
 */
export const reportHealth =
  (service: WebhooksService): Handler<ReportHealth> =>
  async (calls) => {
    const { database, outbox, ids, failingDaysMax } = service;
    const keys = calls.map(({ input }) => ({
      workspaceId: uuidOf('workspace', input.workspaceId),
      id: uuidOf('webhook', input.webhookId),
    }));
    const rows = await database.transaction(async (session) => {
      const reported = await session.query<HealthRow>(report, [
        keys.map(({ workspaceId }) => workspaceId),
        keys.map(({ id }) => id),
        calls.map(({ input }) => input.lastSuccessAt),
        calls.map(({ input }) => input.lastFailureAt),
        calls.map(({ input }) => input.failingSince),
        (failingDaysMax * 86_400) / samples,
        failingDaysMax,
      ]);
      const failing = reported.filter(({ begins_to_fail }) => begins_to_fail);
      await outbox.add(
        session,
        failing.map((row) => makeEvent(ids, row.workspace_id, 'WEBHOOK_FAILING', failingOf(row))),
      );
      return reported;
    });
    // At the same time: each waits for half a second while JetStream does not answer.
    const overdue = rows.filter(({ is_overdue }) => is_overdue);
    await Promise.all(overdue.map((row) => disableOverdue(service, row, calls)));
    const byKey = new Map(
      rows.map((row) => [webhookKey({ workspaceId: row.workspace_id, id: row.id }), row]),
    );
    return keys.map((key) => {
      const row = byKey.get(webhookKey(key));
      return row ? { disabled: row.is_disabled } : notFound('webhook');
    });
  };

/**
 * Number of intervals into which the days are divided. The latest failure of each is kept, because it precedes the fewest
 * successes: the count may begin one interval too late, and never too early.
 */
const samples = 128;

const reasonOf = (days: number): string =>
  `All attempts failed for ${days} ${days === 1 ? 'day' : 'days'}.`;

/** Disables a webhook, unless a success was reported meanwhile or a user has enabled it. Never rejects: the next report repeats it. */
async function disableOverdue(
  service: WebhooksService,
  row: HealthRow,
  calls: readonly Call<InputOf<ReportHealth>>[],
): Promise<void> {
  const { database, log, failingDaysMax } = service;
  const workspaceId = encodeId('workspace', row.workspace_id);
  const webhookId = encodeId('webhook', row.id);
  const reason = reasonOf(failingDaysMax);
  const call = calls.find(({ input }) => input.webhookId === webhookId)!;
  const applies = ({ failingSince }: Webhook) =>
    failingSince !== null &&
    failingSince !== undefined &&
    failingSince.getTime() <= row.failing_ms!;
  try {
    const isNew = await disableAutomatically(service, database, { call, reason, applies });
    if (!isNew) return;
    row.is_disabled = true;
    log.warn({ workspaceId, webhookId, reason }, 'disabled a webhook');
  } catch (error) {
    log.warn({ err: error, workspaceId, webhookId }, 'failed to disable a webhook');
  }
}

const failingOf = ({ id, description, failing_ms: failingMs }: HealthRow) =>
  webhookOfEvent({ id, description, failingSince: new Date(failingMs!), disabledReason: null });

interface HealthRow {
  workspace_id: string;
  id: string;
  is_disabled: boolean;
  /** Enabled, and has only failed for too long. */
  is_overdue: boolean;
  /** Milliseconds since the epoch of the first known failure after the last success. */
  failing_ms: number | null;
  begins_to_fail: boolean;
  description: string | null;
}

/** $6: seconds per kept failure; $7: days of consecutive failures. */
const report: Statement = {
  name: 'webhooks.report-health',
  text: `
    with reports as (
      select workspace_id, id, max(last_success_at) as last_success_at, max(last_failure_at) as last_failure_at,
        array_agg(last_failure_at) || array_agg(failing_since) as failures
      from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
        as r (workspace_id, id, last_success_at, last_failure_at, failing_since)
      group by workspace_id, id
    ),
    -- In one order, so that two batches do not deadlock; values are read after locking.
    locked as (
      select w.workspace_id, w.id, w.description, w.disabled_reason, w.forgiven_at, w.failing_announced_at,
        greatest(w.last_success_at, r.last_success_at) as last_success_at,
        greatest(w.last_failure_at, r.last_failure_at) as last_failure_at,
        w.failures || r.failures as failures
      from webhooks.webhooks w join reports r on r.workspace_id = w.workspace_id and r.id = w.id
      order by w.workspace_id, w.id
      for no key update of w
    ),
    streaks as (
      select w.*, s.failures as streak
      from locked w, lateral (
        select coalesce(array_agg(at order by at), '{}') as failures
        from (
          select max(at) as at from unnest(w.failures) as failure (at)
          where at > coalesce(greatest(w.last_success_at, w.forgiven_at), '-infinity')
          group by floor(extract(epoch from at) / $6::float8)
        ) as kept
      ) as s
    ),
    judged as (
      select *, disabled_reason is null
        and coalesce(streak[1] < now() - $7::float8 * interval '1 day', false) as is_overdue,
        disabled_reason is null and streak[1] is not null and (
          failing_announced_at is null
          or failing_announced_at < now() - interval '1 hour'
            and coalesce(failing_announced_at < greatest(last_success_at, forgiven_at), false)
        ) as begins_to_fail
      from streaks
    ),
    changed as (
      update webhooks.webhooks w
      set last_success_at = j.last_success_at, last_failure_at = j.last_failure_at,
        failures = j.streak, failing_since = j.streak[1],
        failing_announced_at = case when j.begins_to_fail then least(now(), j.streak[cardinality(j.streak)])
          else j.failing_announced_at end
      from judged j where w.workspace_id = j.workspace_id and w.id = j.id
    )
    select workspace_id, id, description, begins_to_fail, is_overdue, disabled_reason is not null as is_disabled,
      (extract(epoch from streak[1]) * 1000)::float8 as failing_ms
    from judged`,
};
