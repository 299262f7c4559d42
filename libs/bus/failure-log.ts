import { Fault } from '@roster/contracts';
import type { BusLog } from './observer.js';

const sayAgainMs = 60_000;
/** Reasons remembered at once. Unexpected errors may each have a message of their own. */
const reasonsMax = 100;

/**
 * Warns of a task that fails again and again: at once, then at most once a minute for the same reason, with the number of
 * failures since (`repeated`). Faults that pass by themselves are logged without a stack.
 */
export class FailureLog {
  readonly #log: Pick<BusLog, 'warn'>;
  readonly #message: string;
  readonly #now: () => number;
  readonly #said = new Map<string, { at: number; repeated: number }>();

  /** @param now milliseconds; for tests */
  constructor(log: Pick<BusLog, 'warn'>, message: string, now = () => performance.now()) {
    this.#log = log;
    this.#message = message;
    this.#now = now;
  }

  /** @param fields what the failure is about */
  warn(error: unknown, fields: object = {}): void {
    const expected = expectedFault(error);
    const reason = expected ? (expected.reason ?? expected.message) : String(error);
    const said = this.#said.get(reason);
    const now = this.#now();
    if (said && now - said.at < sayAgainMs) {
      said.repeated += 1;
      return;
    }
    if (this.#said.size >= reasonsMax) this.#said.clear();
    this.#said.set(reason, { at: now, repeated: 0 });
    const repeated = said?.repeated ?? 0;
    this.#log.warn(
      { ...fields, err: expected ?? error, ...(repeated > 0 && { repeated }) },
      this.#message,
    );
  }
}

/** As pino shows an error, without its stack. */
function expectedFault(error: unknown) {
  if (!(error instanceof Fault) || (error.code !== 'unavailable' && error.code !== 'timeout'))
    return undefined;
  const { code, message, reason } = error;
  return { type: 'Fault', code, message, ...(reason !== undefined && { reason }) };
}
