import { randomUUID } from 'node:crypto';
import { steadyNow } from '@roster/bus';
import { encodeId, systemCaller, uuidOf, type Operations } from '@roster/contracts';
import { deleteWorkspaceRows, each, type Session, type Statement } from '@roster/storage';
import type { WorkspaceDeletion } from '../entities/workspace.entity.js';
import { schema, type UsersService } from '../service.js';
import { findWorkspace, lockWorkspace, workspaceShape } from './admin-workspaces.js';
import { settleSuspension } from './suspend-workspace.js';

/**
 * Begins to delete a workspace, which is refused from then on as a suspended one is, and whose deliveries wait when the call is
 * answered. A repeated call changes nothing, and shows how far the deletion is.
 */
export const deleteWorkspace = (service: UsersService) =>
  each<Operations['admin-workspaces.delete']>(async ({ input }, session) => {
    const { adminKeys, bus } = service;
    adminKeys.require(input);
    const { workspaceId } = input;
    await session.transaction(async (inner) => {
      const workspace = await lockWorkspace(inner, workspaceId);
      if (workspace.status !== 'deleting') {
        const startedAt = new Date().toISOString();
        const deletion: WorkspaceDeletion = {
          ...{ phase: 'webhooks', deleted: 0, startedAt, passStartedAt: startedAt },
        };
        Object.assign(workspace, { status: 'deleting', deletion });
        await inner.em.flush();
      }
      inner.afterCommit(() => bus.broadcast('workspaces.changed', { workspaceId }));
    });
    await settleSuspension(service, session, uuidOf('workspace', workspaceId));
    return { workspace: workspaceShape(await findWorkspace(session, workspaceId)) };
  });

/** Until then a service must have deleted its portion. */
const callMs = 5000;
const phases = ['webhooks', 'dispatcher', 'contacts', 'users'] as const;
/** While it waits for late writes. */
const waitingMs = 1000;
const idleMs = 2000;

export interface DeletionOptions extends Pick<UsersService, 'bus'> {
  database: Session;
  /** After the start of a deletion, until no process acts on what it knew of the workspace. */
  graceSeconds: number;
}

/**
 * Deletes the next portion of a workspace that is being deleted. Its row is locked meanwhile: of several processes, each works on another
 * workspace. A process that ends leaves at most a portion to be found deleted. After each pass through all services that began
 * before `graceSeconds` were over, another one follows: it removes what calls wrote late that gateways had admitted. The row is deleted last.
 *
 * @returns for how long to sleep, in milliseconds: as long as the portion took, so that others have at least half of the time
 */
export async function deleteNextPortion(options: DeletionOptions): Promise<number> {
  const startedAt = performance.now();
  const pauseMs = await options.database.transaction(async (session) => {
    const [row] = await session.query<DeletingRow>(next, []);
    if (!row) return idleMs;
    const changed = await advance(options, session, row);
    if (changed === undefined) await session.query(remove, [row.id]);
    else await session.query(note, [row.id, JSON.stringify(changed)]);
    return changed?.phase === 'waiting' ? waitingMs : 0;
  });
  return pauseMs || Math.max(1, performance.now() - startedAt);
}

interface DeletingRow {
  id: string;
  deletion: WorkspaceDeletion;
}

/** Undefined when everything is deleted. */
async function advance(
  { bus, graceSeconds }: DeletionOptions,
  session: Session,
  { id, deletion }: DeletingRow,
): Promise<WorkspaceDeletion | undefined> {
  const { phase, deleted, startedAt, passStartedAt } = deletion;
  const workspaceId = encodeId('workspace', id);
  const isSafe = (since: string) =>
    Date.parse(since) >= Date.parse(startedAt) + graceSeconds * 1000;
  if (phase === 'waiting') {
    const now = new Date().toISOString();
    return isSafe(now) ? { ...deletion, phase: phases[0], passStartedAt: now } : deletion;
  }
  const context = {
    caller: { ...systemCaller, workspaceId },
    requestId: randomUUID(),
    deadline: steadyNow() + callMs,
  };
  const portion =
    phase === 'users'
      ? await deleteWorkspaceRows(session, schema, id)
      : await bus.call(`${phase}.delete-workspace`, { workspaceId }, context);
  if (!portion.isDone) return { ...deletion, deleted: deleted + portion.deleted };
  const following = phases[phases.indexOf(phase) + 1];
  if (following) return { ...deletion, phase: following };
  return isSafe(passStartedAt) ? undefined : { ...deletion, phase: 'waiting' };
}

/**
 * Of all workspaces, few of which are being deleted. Only one whose deliveries wait: otherwise the webhooks service could be told of
 * it after it has deleted everything.
 */
const next: Statement = {
  name: 'workspace-deletion.next',
  plan: 'any',
  text: `
    select id, deletion from users.workspaces where status = 'deleting' and is_held
    order by deletion ->> 'phase' = 'waiting', id limit 1 for no key update skip locked`,
};

const note: Statement = {
  name: 'workspace-deletion.note',
  text: 'update users.workspaces set deletion = $2 where id = $1',
};

const remove: Statement = {
  name: 'workspace-deletion.remove',
  text: `delete from users.workspaces where id = $1 and status = 'deleting'`,
};
