import { Fault, faultMessages, type Operation } from '@roster/contracts';

/** Nothing has happened. */
export const unavailable = (reason: string, cause?: unknown): Fault =>
  new Fault('unavailable', faultMessages.unavailable, { retryAfterSeconds: 1, reason, cause });

/** The service answered the batch without this call. */
export const unanswered = (): Fault =>
  new Fault('internal', faultMessages.internal, { reason: 'the answer lacks this call' });

/** Nobody knows whether it has happened. */
export const timedOut = ({ name, access }: Operation): Fault =>
  access === 'read'
    ? new Fault('timeout', 'The service did not answer in time.', { reason: name })
    : new Fault(
        'timeout',
        `The service did not answer in time. The change may have been applied. ${faultMessages.repeatWithKey}`,
        { reason: name },
      );
