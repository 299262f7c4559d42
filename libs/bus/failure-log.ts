import { Fault } from '@roster/contracts';
import { NatsDenial } from './trouble.js';
import type { BusLog } from './observer.js';

const logAgainMs = 60_000;
/** Maximum number of reasons remembered. Unexpected errors may each have a different message. */
const reasonsMax = 100;

/**
 * Logs recurring failures: the first at once, then at most one per minute and reason, with the number of failures since
 * (`repeated`). Faults of unavailable dependencies, and denials by NATS, are logged without a stack.
 */
export class FailureLog {
  readonly #log: Pick<BusLog, 'warn'>;
  readonly #message: string;
  readonly #now: () => number;
  readonly #logged = new Map<string, { at: number; repeated: number }>();

  /** @param now clock in milliseconds, for tests */
  constructor(log: Pick<BusLog, 'warn'>, message: string, now = () => performance.now()) {
    this.#log = log;
    this.#message = message;
    this.#now = now;
  }

  /** @param fields context of the failure */
  warn(error: unknown, fields: object = {}): void {
    const expected = expectedFault(error);
    const reason = expected ? (expected.reason ?? expected.message) : String(error);
    const logged = this.#logged.get(reason);
    const now = this.#now();
    if (logged && now - logged.at < logAgainMs) {
      logged.repeated += 1;
      return;
    }
    if (this.#logged.size >= reasonsMax) this.#logged.clear();
    this.#logged.set(reason, { at: now, repeated: 0 });
    const repeated = logged?.repeated ?? 0;
    this.#log.warn(
      { ...fields, err: expected ?? error, ...(repeated > 0 && { repeated }) },
      this.#message,
    );
  }
}

/** The log, for failures that are logged as errors. */
export const asErrors = (log: BusLog): Pick<BusLog, 'warn'> => ({
  warn: (fields, message) => log.error(fields, message),
});

/** The error as pino logs it, without its stack. */
function expectedFault(
  error: unknown,
): { type: string; code?: string; message: string; reason?: string } | undefined {
  if (error instanceof NatsDenial) return { type: error.name, message: error.message };
  if (!(error instanceof Fault) || (error.code !== 'unavailable' && error.code !== 'timeout'))
    return undefined;
  const { code, message, reason } = error;
  return { type: 'Fault', code, message, ...(reason !== undefined && { reason }) };
}
