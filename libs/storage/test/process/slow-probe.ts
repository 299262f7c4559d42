/** A process that loads slowly, as on a busy machine. */
import '@roster/process/early-signals';
import { writeSync } from 'node:fs';

writeSync(1, 'loading\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
await import('./probe.js');
