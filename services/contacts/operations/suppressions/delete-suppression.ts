import type { Call } from '@roster/bus';
import {
  emailKey,
  encodeId,
  notFound,
  operations,
  uuidOf,
  type Operations,
} from '@roster/contracts';
import {
  each,
  requireMatch,
  type Session,
  type SessionHandler,
  type Statement,
} from '@roster/storage';
import { auditLog } from '../../service.js';
import { AuditAllowance } from '../../writing/audit-allowance.js';
import { suppressionShape, type SuppressionRow } from '../../writing/suppress-addresses.js';

type DeleteSuppression = Operations['suppressions.delete'];
type DeleteByEmail = Operations['suppressions.delete-by-email'];

export const deleteSuppression = (allowance: AuditAllowance): SessionHandler<DeleteSuppression> =>
  each<DeleteSuppression>(async (call, session) => {
    const id = uuidOf('suppression', call.input.suppressionId);
    const existed = await remove(call, session, deleteById, id, allowance);
    return existed ? { deleted: true } : notFound('suppression');
  });

export const deleteSuppressionByEmail = (
  allowance: AuditAllowance,
): SessionHandler<DeleteByEmail> =>
  each<DeleteByEmail>(async (call, session) => ({
    existed: await remove(call, session, deleteByKey, emailKey(call.input.email), allowance),
  }));

/** Returns whether there was one. */
const remove = (
  call: Call,
  session: Session,
  statement: Statement,
  key: string,
  allowance: AuditAllowance,
): Promise<boolean> =>
  session.transaction(async (inner) => {
    const workspaceId = uuidOf('workspace', call.caller.workspaceId);
    const [deleted] = await inner.query<SuppressionRow>(statement, [workspaceId, key]);
    if (!deleted) return false;
    requireMatch(call, operations['suppressions.get'], () =>
      JSON.stringify({ suppression: suppressionShape(deleted) }),
    );
    if (!allowance.admits(call)) return true;
    await auditLog.record(inner, call, {
      action: 'suppression.deleted',
      resourceId: encodeId('suppression', deleted.id),
      before: { reason: deleted.reason },
    });
    inner.afterCommit(() => allowance.took(call));
    return true;
  });

const deleteById: Statement = {
  name: 'suppressions.delete',
  text: 'delete from contacts.suppressions where workspace_id = $1 and id = $2 returning id, reason',
};

const deleteByKey: Statement = {
  name: 'suppressions.delete-by-email',
  text: `
    delete from contacts.suppressions
    where workspace_id = $1 and hash = contacts.suppression_hash($1::uuid, $2)
    returning id, reason`,
};
