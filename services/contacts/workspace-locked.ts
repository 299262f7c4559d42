import { Fault } from '@roster/contracts';

/** Answers a write to a workspace that is locked for too long, or for which it does not wait. Nothing was changed. */
export const workspaceLocked = new Fault(
  'unavailable',
  'Too many writes to the workspace are in progress. Try again later.',
  { retryAfterSeconds: 1 },
);
