import type { Handler } from '@roster/bus';
import { uuidOf, type Operations, type RequestQuota } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { UsersService } from '../service.js';

/** Runs one statement per batch. An unknown workspace has no quota. */
export const getQuota =
  ({ database }: UsersService): Handler<Operations['workspace-quotas.get']> =>
  async (calls) => {
    const ids = calls.map(({ input }) => uuidOf('workspace', input.workspaceId));
    const rows = await database.query<{ id: string; contacts: number | null }>(select, [ids]);
    const contactsOf = new Map(rows.map(({ id, contacts }) => [id, contacts]));
    return ids.map((id) => ({ contacts: contactsOf.get(id) ?? null }));
  };

const select: Statement = {
  name: 'quotas.contacts',
  text: 'select id, quota_contacts::float8 as contacts from users.workspaces where id = any ($1::uuid[])',
};

/** Of the workspace of a row: how many requests of the current day were reported. Null without a quota of requests. */
export const requestQuotaOf = (workspaceId: string): string => `
      (select json_build_object('requestsPerDay', w.quota_requests_per_day, 'day', t.day, 'requests',
          coalesce((select d.requests from users.usage_days d where d.workspace_id = w.id and d.day = t.day), 0))
        from users.workspaces w, (select (now() at time zone 'utc')::date as day) t
        where w.id = ${workspaceId} and w.quota_requests_per_day is not null) as quota`;

/** A column of `requestQuotaOf`, as answers have it. */
export const quotaField = (quota: RequestQuota | null): { quota?: RequestQuota } =>
  quota ? { quota } : {};
