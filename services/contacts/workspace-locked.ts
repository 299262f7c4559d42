import { Fault } from '@roster/contracts';

/** What a write is answered with whose workspace is locked for too long, or where it is not to wait. Nothing has happened. */
export const workspaceLocked = new Fault(
  'unavailable',
  'Too many writes to the workspace are in progress. Try again later.',
  { retryAfterSeconds: 1 },
);
