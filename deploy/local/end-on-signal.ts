/** Imported before anything else: as process 1 of a container a command would not hear of a signal that it does not handle. */
import { constants } from 'node:os';

// What is not committed is rolled back.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
