/**
 * Imported first by every process. Process 1 of a container is not terminated by a signal without a handler. A signal that
 * arrives while the process loads would be lost, and the process killed at the end of the grace period.
 */
let first: NodeJS.Signals | undefined;

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => (first ??= signal));

/** The signal that arrived before the process installed its handlers. */
export const earlySignal = (): NodeJS.Signals | undefined => first;
