/**
 * Imported by every process before anything else. As process 1 of a container it is not ended by a signal that it does not
 * handle: one that comes while it still loads would be lost, and the process killed when its time is up.
 */
let first: NodeJS.Signals | undefined;

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => (first ??= signal));

/** The signal that came before anybody else listened. */
export const earlySignal = (): NodeJS.Signals | undefined => first;
