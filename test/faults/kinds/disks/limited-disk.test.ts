import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@roster/testing';
import test from 'ava';
import { whyNoDisks } from './limited-disk.js';

test('the disks of a killed process are unmounted', async (t) => {
  const why = await whyNoDisks();
  if (why !== undefined) {
    t.log(`not run: ${why}`);
    t.pass();
    return;
  }
  const owner = fork(fileURLToPath(new URL('./keep-disks.js', import.meta.url)));
  const [home] = (await once(owner, 'message')) as [string];
  t.teardown(() => rm(home, { recursive: true, force: true }));
  t.false(mountsSeenBy('self').includes(home), 'outside of their namespace they are not visible');
  t.true(areMounted(home));
  owner.kill('SIGKILL');
  await eventually(() => !areMounted(home), { describe: 'the disks to be unmounted' });
});

/** In any namespace: a namespace exists as long as it has a process. */
const areMounted = (home: string): boolean =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => mountsSeenBy(pid).includes(home));

function mountsSeenBy(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch {
    return '';
  }
}
