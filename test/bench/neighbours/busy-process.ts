import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Misbehaviour } from '../../faults/neighbours/misbehaviour.js';

/** What remains if a workspace costs the others nothing but CPU time: a process that uses one core and sends no requests. */
export const busyProcess: Misbehaviour = {
  name: 'no request, a busy process beside Roster',
  begin() {
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    const exited = once(child, 'exit');
    return Promise.resolve(async () => {
      child.kill('SIGKILL');
      await exited;
    });
  },
};
