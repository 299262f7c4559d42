/** performance.timeOrigin is read once: it is constant. */
const { timeOrigin } = performance;

/**
 * Milliseconds since the epoch, as an integer: the time at which the process started plus the time since. Unlike `Date.now`, it
 * does not change when the clock of the machine is set. Deadlines are such times.
 */
export const steadyNow = (): number => Math.round(timeOrigin + performance.now());
