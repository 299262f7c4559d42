import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

test('settles the heap ten seconds after the start, without keeping the process alive', async (t) => {
  const { run } = await programFor(t);
  t.deepEqual(run('start').timers, [{ ms: 10_000, isRef: false }]);
});

test('collects the garbage of the start then, and not before', async (t) => {
  const { run } = await programFor(t);
  t.is(run('start').collections, 0);
  t.true(run('settle').collections > 0);
});

test('sets the flags of V8 then, and not before', async (t) => {
  const { run } = await programFor(t);
  const flags = ['--no-allocation-site-pretenuring', '--heap-growing-percent=50', '--expose-gc'];
  const settled = run('start', { flags }).flagsTag;
  t.is(run('settle').flagsTag, settled);
  t.not(run('start').flagsTag, settled);
});

test('compiled code that is stored then is accepted by the next start', async (t) => {
  const { file, run } = await programFor(t);
  const env = { NODE_COMPILE_CACHE: `${file}.cache`, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const accepted = `file://${file} was accepted`;
  t.false(run('settle', { env }).errors.includes(accepted));
  t.true(run('start', { env }).errors.includes(accepted));
});

interface Outcome {
  timers: { ms: number; isRef: boolean }[];
  /** Of the whole heap. */
  collections: number;
  /** Differs between sets of flags. */
  flagsTag: number;
}

/** A process of its own, because flags are set for a whole process. It ends the timer itself if it is to settle. */
async function programFor(t: ExecutionContext) {
  const file = join(await temporaryDirectory(t), 'program.mjs');
  writeFileSync(file, program);
  const run = (
    until: 'start' | 'settle',
    { flags = [], env = {} }: { flags?: string[]; env?: NodeJS.ProcessEnv } = {},
  ) => {
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, file, until], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
    });
    t.true(stdout.startsWith('{'), stderr);
    return { ...(JSON.parse(stdout.split('\n')[0]!) as Outcome), errors: stdout + stderr };
  };
  return { file, run };
}

const program = `
  import { spawnSync } from 'node:child_process';
  import { writeSync } from 'node:fs';
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { setImmediate } from 'node:timers/promises';
  import { cachedDataVersionTag } from 'node:v8';
  import { settleHeapLater } from '${new URL('../settle-heap.js', import.meta.url).href}';

  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    const { NODE_PERFORMANCE_GC_MAJOR: major } = constants;
    collections += list.getEntries().filter(({ detail }) => detail.kind === major).length;
  });
  observer.observe({ entryTypes: ['gc'] });
  const timers = [];
  globalThis.setTimeout = (end, ms) => {
    const timer = { end, ms, isRef: true };
    timers.push(timer);
    return { unref: () => (timer.isRef = false) };
  };
  settleHeapLater();
  if (process.argv[2] === 'settle') for (const { end } of timers) end();
  // The observer is told later.
  for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  writeSync(1, JSON.stringify({ timers, collections, flagsTag: cachedDataVersionTag() }) + '\\n');
  // By another process: before its own SIGKILL, Node would store compiled code.
  spawnSync('kill', ['-KILL', String(process.pid)]);
`;
