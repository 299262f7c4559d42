import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { TestFn } from 'ava';

import { sourcePath } from './compiled-path.js';
import { recordTimes } from './record-times.js';
import type { RunOfProcess } from './run-ava.js';
import { takeTurn } from './take-turn.js';

/** The undocumented parts of AVA (8.0.1) that are used. */
interface AvaParts {
  /** Runs the tests and hooks that are declared with its `chain`. */
  Runner: new (options: object) => {
    chain: TestFn;
    on(event: 'stateChange', listener: (event: { data: StateChange }) => void): void;
    on(event: 'error', listener: (event: { data: Error }) => void): void;
    on(event: 'finish', listener: () => void): void;
  };
  /** What `import test from 'ava'` returns. */
  refs: { runnerChain: TestFn };
  /** Called when the tests of a process have ended, before AVA is told so. */
  sharedWorkerTeardowns: (() => Promise<void>)[];
  /** Sends an event to the process that reports. */
  send(event: object): void;
  /** Those of the process, for a `Runner`. */
  options(): object;
}

interface StateChange {
  type: string;
  title?: string;
}

export async function avaParts(): Promise<AvaParts> {
  const lib = join(createRequire(import.meta.url).resolve('ava'), '../../lib');
  const part = async <T>(file: string) => (await import(pathToFileURL(join(lib, file)).href)) as T;
  const [runner, state, channel, options] = await Promise.all([
    part<{ default: AvaParts['Runner'] }>('runner.js'),
    part<Pick<AvaParts, 'refs' | 'sharedWorkerTeardowns'>>('worker/state.js'),
    part<Pick<AvaParts, 'send'>>('worker/channel.js'),
    part<{ get: AvaParts['options'] }>('worker/options.js'),
  ]);
  const { refs, sharedWorkerTeardowns } = state;
  return {
    Runner: runner.default,
    refs,
    sharedWorkerTeardowns,
    send: channel.send,
    options: options.get,
  };
}

/**
 * AVA calls it in each process that it starts for a test file. The process waits for its turn. When the tests of the file have ended,
 * the other files of its group run in the process, one after another, each with its own hooks and titles. It is called
 * before any module imports AVA, whose `test` it replaces.
 *
 * @param run a `RunOfProcess` as JSON
 */
// oxlint-disable-next-line import/no-default-export -- AVA takes it as the default.
export default async function runGroup(run: string): Promise<void> {
  const { root, turns, times, groups } = JSON.parse(run) as RunOfProcess;
  const ava = await avaParts();
  const options = ava.options() as { file: string };
  const first = relative(root, options.file);
  const others =
    (JSON.parse(await readFile(groups, 'utf8')) as string[][])
      .find((files) => files[0] === first)
      ?.slice(1) ?? [];
  await takeTurn(turns, first);
  const startTimes = recordTimes(times);
  startTimes(sourcePath(first));

  let { runnerChain: chain } = ava.refs;
  ava.refs.runnerChain = new Proxy(chain, {
    apply: (_, self, args) => Reflect.apply(chain, self, args),
    get: (_, property) => Reflect.get(chain, property),
  });
  // A run that is ended from outside ends AVA, whose processes would go on with their files.
  process.once('disconnect', () => process.exit(1));
  // Every log that a file opens is flushed at the exit of its process.
  process.setMaxListeners(0);
  const runFile = async (file: string) => {
    const source = sourcePath(file);
    startTimes(source);
    const ended = Promise.withResolvers<void>();
    let tests = 0;
    const runner = new ava.Runner({ ...options, file: join(root, file) });
    runner.on('stateChange', ({ data }) => {
      if (data.type === 'declared-test') tests += 1;
      // AVA's report has the first file before it.
      ava.send({ ...data, ...(data.title && { title: `then ${source} › ${data.title}` }) });
    });
    runner.on('error', ({ data }) => ended.reject(data));
    runner.on('finish', () => ended.resolve());
    chain = runner.chain;
    await import(pathToFileURL(join(root, file)).href);
    if (tests === 0) throw new Error(`${source} declares no test.`);
    await ended.promise;
  };

  ava.sharedWorkerTeardowns.push(async () => {
    if (others.length === 0) return;
    // If nothing keeps the process alive, it ends before its last file.
    process.exitCode = 1;
    for (const file of others) await runFile(file);
    process.exitCode = 0;
  });
}
