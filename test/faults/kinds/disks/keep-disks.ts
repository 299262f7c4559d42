/** Mounts disks, reports their home over IPC, and keeps them. */
import { withLimitedDisks } from './limited-disk.js';

await withLimitedDisks(({ home }) => {
  process.send?.(home);
  return new Promise(() => setInterval(() => undefined, 60_000));
});
