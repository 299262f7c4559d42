import { uuidOf, type Operations } from '@roster/contracts';
import { deleteWorkspaceRows, each } from '@roster/storage';
import { schema, type ContactsService } from '../service.js';

/** Messages that one call removes from the stream. */
const messagesMax = 100;

/**
 * Deletes the next rows of a workspace, and when none is left, its next messages in the stream. By then no outbox has a row of it, from which
 * a message would be published again.
 */
export const deleteWorkspace = ({ bus }: ContactsService) =>
  each<Operations['contacts.delete-workspace']>(async ({ input: { workspaceId } }, session) => {
    const portion = await deleteWorkspaceRows(session, schema, uuidOf('workspace', workspaceId));
    if (!portion.isDone) return portion;
    const { eraser } = bus;
    let deleted = 0;
    let sequence = 0;
    while (deleted < messagesMax) {
      const message = await eraser.next(workspaceId, sequence);
      if (!message) break;
      await eraser.erase(message);
      deleted += 1;
      sequence = message.sequence + 1;
    }
    return { deleted, isDone: deleted === 0 };
  });
