import type { RequestQuota } from '@roster/contracts';

/** Of the workspace of a row: how many requests of the current day were reported. Null without a quota of requests. */
export const requestQuotaOf = (workspaceId: string): string => `
      (select json_build_object('requestsPerDay', w.quota_requests_per_day, 'day', t.day, 'requests',
          coalesce((select d.requests from users.usage_days d where d.workspace_id = w.id and d.day = t.day), 0))
        from users.workspaces w, (select (now() at time zone 'utc')::date as day) t
        where w.id = ${workspaceId} and w.quota_requests_per_day is not null) as quota`;

/** A column of `requestQuotaOf`, as answers have it. */
export const quotaField = (quota: RequestQuota | null): { quota?: RequestQuota } =>
  quota ? { quota } : {};
