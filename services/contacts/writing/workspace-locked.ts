import { Contended } from '@roster/bus';

/** Answers a write to a workspace that is locked for too long, or for which it does not wait. Nothing was changed. */
export const workspaceLocked = new Contended({
  message: 'Too many writes to the workspace are in progress. Try again later.',
  concernsAll: true,
});
