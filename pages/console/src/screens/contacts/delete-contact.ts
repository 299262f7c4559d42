import { later } from '../../data/later.js';
import { rest } from '../../data/rest.js';
import { toast } from '../../parts/toasts.js';
import type { Versioned } from './contact.js';

/** A little longer than the toast with Undo is shown. */
const undoMs = 8500;

/**
 * Deletes a contact when it can no longer be undone. A contact that was deleted at once and created again would have another ID,
 * another time of creation and two events; one whose deletion is late is the same as before until then. One that was changed
 * meanwhile is not deleted.
 *
 * @param show marks the contact as deleted in the list, or not
 */
export function deleteContact({ contact, etag }: Versioned, show: (isDeleted: boolean) => void) {
  const name = contact.name || contact.email;
  show(true);
  const undo = later((isLeaving) => {
    rest('DELETE', `/v1/contacts/${contact.id}`, { ifMatch: etag, keepalive: isLeaving }).catch(
      (error: Error & { code?: string }) => {
        // Somebody else has deleted it.
        if (error.code === 'not_found') return;
        show(false);
        toast(
          error.code === 'precondition_failed'
            ? `${name} was changed meanwhile, and was not deleted.`
            : `${name} was not deleted: ${error.message}`,
          { kind: 'bad' },
        );
      },
    );
  }, undoMs);
  toast(`${name} is deleted.`, {
    action: {
      label: 'Undo',
      run: () => {
        undo();
        show(false);
      },
    },
  });
}
