import { randomUUID } from 'node:crypto';
import { steadyNow } from '@roster/bus';
import {
  encodeId,
  Fault,
  systemCaller,
  uuidOf,
  type Operations,
  type WorkspaceStatus,
} from '@roster/contracts';
import { each, type AuditedCall, type Session, type Statement } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import { findWorkspace, lockWorkspace, workspaceShape } from './admin-workspaces.js';

/** Until then the webhooks service must have answered. */
const callMs = 2000;
/** Workspaces that one run settles. */
const settledMax = 100;

/**
 * Suspends a workspace, or resumes it. From the commit on its keys are refused by this service, and by gateways when they hear of it,
 * or no longer cache them. Then the webhooks service is told. A call that is repeated does what is still to be done.
 */
export const suspendWorkspace = (service: UsersService) =>
  each<Operations['admin-workspaces.suspend']>((call, session) =>
    changeStatus(service, session, call, 'suspended'),
  );

export const resumeWorkspace = (service: UsersService) =>
  each<Operations['admin-workspaces.resume']>((call, session) =>
    changeStatus(service, session, call, 'active'),
  );

async function changeStatus(
  service: UsersService,
  session: Session,
  call: AuditedCall & { input: { adminKey: string; workspaceId: string } },
  status: 'active' | 'suspended',
) {
  const { adminKeys, bus } = service;
  const { workspaceId } = call.input;
  adminKeys.require(call.input);
  await session.transaction(async (inner) => {
    const workspace = await lockWorkspace(inner, workspaceId);
    const { status: before } = workspace;
    if (before === 'deleting') throw new Fault('conflict', 'The workspace is being deleted.');
    if (before !== status) {
      workspace.status = status;
      await inner.em.flush();
      await auditLog.record(inner, call, {
        action: status === 'active' ? 'workspace.resumed' : 'workspace.suspended',
        ...{ resourceId: workspaceId, workspaceId },
        ...{ before: { status: before }, after: { status } },
      });
    }
    // Also without a change: the process that made it may have ended before its broadcast.
    inner.afterCommit(() => bus.broadcast('workspaces.changed', { workspaceId }));
  });
  await settleSuspension(service, session, uuidOf('workspace', workspaceId));
  return { workspace: workspaceShape(await findWorkspace(session, workspaceId)) };
}

/** Tells the webhooks service of the workspaces of which it may not know, because a process has ended, or it was away. */
export async function settleSuspensions(
  service: Pick<UsersService, 'bus'> & { database: Session },
): Promise<void> {
  const rows = await service.database.query<{ id: string }>(unsettled, [settledMax]);
  for (const { id } of rows) await settleSuspension(service, service.database, id);
}

/**
 * Tells the webhooks service whether the deliveries of a workspace wait: those of a deleted one, too, until they are deleted. The row is locked meanwhile, so that the last call that it
 * receives is about the present status.
 */
export async function settleSuspension(
  { bus }: Pick<UsersService, 'bus'>,
  session: Session,
  id: string,
): Promise<void> {
  await session.transaction(async (inner) => {
    const [row] = await inner.query<{ status: WorkspaceStatus; is_held: boolean }>(lock, [id]);
    if (!row) return;
    const suspended = row.status !== 'active';
    if (row.is_held === suspended) return;
    const workspaceId = encodeId('workspace', id);
    const context = {
      caller: { ...systemCaller, workspaceId },
      requestId: randomUUID(),
      deadline: steadyNow() + callMs,
    };
    await bus.call('webhook-suspensions.set', { workspaceId, suspended }, context);
    await inner.query(noteHeld, [id, suspended]);
    inner.afterCommit(() => bus.broadcast('workspaces.changed', { workspaceId }));
  });
}

/** The foreign keys of other rows do not wait for this lock. */
const lock: Statement = {
  name: 'suspensions.lock',
  text: 'select status, is_held from users.workspaces where id = $1 for no key update',
};

const noteHeld: Statement = {
  name: 'suspensions.note',
  text: 'update users.workspaces set is_held = $2 where id = $1',
};

/** Of all workspaces, few of which are suspended or being deleted. */
const unsettled: Statement = {
  name: 'suspensions.unsettled',
  plan: 'any',
  text: `select id from users.workspaces where is_held <> (status <> 'active') limit $1`,
};
