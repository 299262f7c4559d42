/** Must be the first import: process 1 of a container ignores signals that it does not handle. */
import { constants } from 'node:os';

// Uncommitted transactions are rolled back.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
