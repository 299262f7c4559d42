import { Fault, faultMessages, type Operation, type WireFault } from '@roster/contracts';

/** The call was not applied. */
export const unavailable = (reason: string, cause?: unknown): Fault =>
  new Fault('unavailable', faultMessages.unavailable, { retryAfterSeconds: 1, reason, cause });

/**
 * Another transaction holds a lock that at least one of the calls needs. Nothing was applied: the client sends the call again, for
 * two seconds.
 */
export class Contended extends Fault {
  /** Whether all calls need the lock. Then none is handled again. */
  readonly concernsAll: boolean;

  constructor({
    message = faultMessages.unavailable,
    concernsAll = false,
    ...details
  }: {
    message?: string;
    concernsAll?: boolean;
    reason?: string;
    cause?: unknown;
  }) {
    super('unavailable', message, { retryAfterSeconds: 1, ...details });
    this.concernsAll = concernsAll;
  }

  override toWire(): WireFault & { contended: true } {
    return { ...super.toWire(), contended: true };
  }
}

/** The answer of the batch has no entry for this call, or is malformed. */
export const unanswered = (): Fault =>
  new Fault('internal', faultMessages.internal, {
    reason: 'the answer of the batch lacks this call',
  });

/** The outcome of a write is unknown. */
export const timedOut = ({ name, access }: Operation): Fault =>
  access === 'read'
    ? new Fault('timeout', 'The service did not answer in time.', { reason: name })
    : new Fault(
        'timeout',
        `The service did not answer in time. The change may have been applied. ${faultMessages.repeatWithKey}`,
        { reason: name },
      );

/** A service would not read the batch, and none of its calls would be answered. */
export const malformedKey = new Fault(
  'invalid',
  'An Idempotency-Key has at most 255 characters, of visible ASCII.',
);
