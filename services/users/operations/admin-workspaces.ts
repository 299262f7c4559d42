/** What admin keys allow. Every operation verifies the key, because the credentials of the gateway are not enough. */
import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import type { Handler } from '@roster/bus';
import {
  encodeId,
  Fault,
  type Operations,
  type OutputOf,
  uuidOf,
  workspaceCursor,
  type WorkspaceQuotas,
  type WorkspaceStatus,
} from '@roster/contracts';
import { each, violatedUnique, type Session, type Statement } from '@roster/storage';
import { Workspace, type WorkspaceDeletion } from '../entities/workspace.entity.js';
import { auditLog, type UsersService } from '../service.js';
import { insertWorkspace } from './create-workspace.js';
import { pageOfUsers } from './read-users.js';

type Shown = OutputOf<Operations['admin-workspaces.get']>['workspace'];

export const verifyAdminKey =
  ({ adminKeys }: UsersService): Handler<Operations['admin-keys.verify']> =>
  async (calls) =>
    calls.map(({ input }) => ({
      state: adminKeys.isEmpty ? 'off' : adminKeys.has(input.adminKey) ? 'valid' : 'invalid',
    }));

export const createAdminWorkspace = ({ ids, adminKeys }: UsersService) =>
  each<Operations['admin-workspaces.create']>((call, session) => {
    adminKeys.require(call.input);
    return withUniqueId(session, call.input.externalId, async (inner) => {
      const created = await insertWorkspace(inner, ids, call, call.input);
      const { workspace, owner, key, secret } = created;
      const { email, name } = owner;
      return {
        workspace: workspaceShape(workspace),
        owner: { id: encodeId('user', owner.id), email, name },
        apiKey: { id: encodeId('key', key.id), secret },
      };
    });
  });

export const listAdminWorkspaces = ({ adminKeys }: UsersService) =>
  each<Operations['admin-workspaces.list']>(async ({ input }, session) => {
    adminKeys.require(input);
    const { limit, after, name, externalId, status } = input;
    const rows = await session.query<WorkspaceRow>(list, [
      after === undefined ? null : workspaceCursor.uuidOfAfter(after),
      ...[name ?? null, externalId ?? null, status ?? null, limit + 1],
    ]);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? workspaceCursor.ofUuid(page.at(-1)!.id) : null;
    const workspaces = page.map(({ created_ms: ms, ...row }) =>
      workspaceShape({ ...row, createdAt: new Date(Math.round(ms)) }),
    );
    return { workspaces, pagination: { limit, next } };
  });

export const getAdminWorkspace = ({ adminKeys }: UsersService) =>
  each<Operations['admin-workspaces.get']>(async ({ input }, session) => {
    adminKeys.require(input);
    return { workspace: workspaceShape(await findWorkspace(session, input.workspaceId)) };
  });

export const updateAdminWorkspace = ({ adminKeys, bus }: UsersService) =>
  each<Operations['admin-workspaces.update']>((call, session) => {
    const { input } = call;
    adminKeys.require(input);
    return withUniqueId(session, input.externalId, async (inner) => {
      const workspace = await lockWorkspace(inner, input.workspaceId);
      const before = detailsOf(workspace);
      const { name = before.name, externalId = before.externalId } = input;
      const quotas = { ...before.quotas, ...input.quotas };
      const { contacts: quotaContacts, requestsPerDay: quotaRequestsPerDay } = quotas;
      Object.assign(workspace, { name, externalId, quotaContacts, quotaRequestsPerDay });
      const after = detailsOf(workspace);
      if (!isDeepStrictEqual(before, after)) {
        await inner.em.flush();
        await auditLog.record(inner, call, {
          ...{ action: 'workspace.updated', before, after },
          ...{ resourceId: input.workspaceId, workspaceId: input.workspaceId },
        });
      }
      // Also without a change: the process that made it may have ended before its broadcast.
      if (input.quotas)
        inner.afterCommit(() =>
          bus.broadcast('workspaces.changed', { workspaceId: input.workspaceId }),
        );
      return { workspace: workspaceShape(workspace) };
    });
  });

export const listAdminWorkspaceUsers = ({ adminKeys }: UsersService) =>
  each<Operations['admin-workspaces.users']>(async ({ input }, session) => {
    adminKeys.require(input);
    const { id } = await findWorkspace(session, input.workspaceId);
    return pageOfUsers(session, id, input);
  });

/** What an operator may change. */
const detailsOf = ({
  name,
  externalId = null,
  ...row
}: Pick<Workspace, 'name' | 'quotaContacts' | 'quotaRequestsPerDay'> & {
  externalId?: string | null | undefined;
}) => ({ name, externalId, quotas: quotasOf(row) });

const quotasOf = ({
  quotaContacts = null,
  quotaRequestsPerDay = null,
}: Partial<Pick<Workspace, 'quotaContacts' | 'quotaRequestsPerDay'>>): WorkspaceQuotas => ({
  contacts: quotaContacts,
  requestsPerDay: quotaRequestsPerDay,
});

/** @throws Fault `not_found` */
export async function findWorkspace({ em }: Session, id: string): Promise<Workspace> {
  const found = await em.findOne(Workspace, { id: uuidOf('workspace', id) });
  if (!found) throw noWorkspace();
  return found;
}

/**
 * The row of a workspace, locked until the end of the transaction.
 *
 * @throws Fault `not_found`
 */
export async function lockWorkspace({ em }: Session, id: string): Promise<Workspace> {
  const where = { id: uuidOf('workspace', id) };
  const found = await em.findOne(Workspace, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!found) throw noWorkspace();
  return found;
}

const noWorkspace = (): Fault => new Fault('not_found', 'No such workspace.');

/**
 * Runs a transaction that may store an external ID.
 *
 * @throws Fault `conflict` if another workspace has it
 */
async function withUniqueId<T>(
  session: Session,
  externalId: string | null | undefined,
  work: (inner: Session) => Promise<T>,
): Promise<T> {
  try {
    return await session.transaction(work);
  } catch (error) {
    if (violatedUnique(error) !== 'workspaces_external_id') throw error;
    const existing = await session.em.findOne(Workspace, { externalId: externalId ?? null });
    throw new Fault('conflict', 'A workspace with this external ID already exists.', {
      errors: [{ pointer: '/externalId', message: 'is the external ID of another workspace' }],
      ...(existing && { existingId: encodeId('workspace', existing.id) }),
    });
  }
}

export const workspaceShape = ({
  id,
  name,
  externalId = null,
  status,
  createdAt,
  deletion,
  ...row
}: Pick<
  Workspace,
  'id' | 'name' | 'createdAt' | 'status' | 'quotaContacts' | 'quotaRequestsPerDay'
> & {
  externalId?: string | null | undefined;
  deletion?: WorkspaceDeletion | null | undefined;
}): Shown => ({
  id: encodeId('workspace', id),
  name,
  externalId,
  status,
  quotas: quotasOf(row),
  createdAt: createdAt.toISOString(),
  deletion: deletion
    ? { phase: deletion.phase, deleted: deletion.deleted, startedAt: deletion.startedAt }
    : null,
});

interface WorkspaceRow {
  id: string;
  name: string;
  externalId: string | null;
  status: WorkspaceStatus;
  quotaContacts: number | null;
  quotaRequestsPerDay: number | null;
  created_ms: number;
  deletion: WorkspaceDeletion | null;
}

/** $1: the workspace before. $2 to $4 select workspaces; null for all. A part of a name is searched among all of them. */
const list: Statement = {
  name: 'admin-workspaces.list',
  plan: 'any',
  text: `
    select id, name, external_id as "externalId", status, deletion, quota_contacts::float8 as "quotaContacts",
      quota_requests_per_day::float8 as "quotaRequestsPerDay", (extract(epoch from created_at) * 1000)::float8 as created_ms
    from users.workspaces
    where ($1::uuid is null or id > $1) and ($2::text is null or position(lower($2) in lower(name)) > 0)
      and ($3::text is null or external_id = $3) and ($4::text is null or status = $4)
    order by id limit $5`,
};
