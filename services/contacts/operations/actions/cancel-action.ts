import type { Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/storage';
import {
  actionColumns,
  actionShape,
  endOf,
  type ActionRecord,
} from '../../actions/action-shape.js';
import { lockAction } from '../../actions/action-table.js';
import { announceActions } from '../../actions/announce-actions.js';
import { auditLog, type ContactsService } from '../../service.js';

type CancelAction = Operations['contact-actions.cancel'];

/**
 * Waits for the slice that is being done: afterwards, no contact is changed. Idempotent: an action that has ended keeps its status.
 */
export const cancelAction = (service: ContactsService): SessionHandler<CancelAction> =>
  each<CancelAction>((call, session) =>
    session.transaction(async (inner) => {
      const { workspace_id, id, status } = await lockAction(call, inner);
      const [cancelled] = await inner.query<ActionRecord>(cancel, [workspace_id, id]);
      const action = actionShape(cancelled!);
      if (action.status === status) return { action };
      await auditLog.record(inner, call, {
        action: 'contact_action.cancelled',
        resourceId: action.id,
        before: { status },
        after: { status: action.status },
      });
      await announceActions(service, inner, [cancelled!], call);
      return { action };
    }),
  );

const cancel: Statement = {
  name: 'contact-actions.cancel',
  text: `
    update contacts.actions a
    set status = case when ended_at is null then 'cancelled' else status end, ended_at = coalesce(ended_at, ${endOf('a')})
    where workspace_id = $1 and id = $2
    returning ${actionColumns('a')}`,
};
