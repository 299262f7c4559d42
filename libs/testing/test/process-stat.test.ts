import test from 'ava';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { eventually, processStat } from '../index.js';

test('reports the state, the parent and the CPU time of a process', async (t) => {
  const child = spawn(process.execPath, ['--eval', 'for (;;);']);
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  // While it starts, it may wait for its other threads.
  await eventually(() => {
    const { state, processorSeconds } = processStat(child.pid!)!;
    return state === 'R' && processorSeconds > 0;
  });
  const { parentPid, endedChildrenSeconds } = processStat(child.pid!)!;
  t.is(parentPid, process.pid);
  t.is(endedChildrenSeconds, 0);
  child.kill('SIGSTOP');
  await eventually(() => processStat(child.pid!)!.state === 'T');
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.is(processStat(child.pid!), undefined);
});
