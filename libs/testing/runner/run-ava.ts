import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { RunTotals } from './ava.config.js';
import { slowestFiles } from './slowest-files.js';

export interface AvaRun {
  root: string;
  /** Compiled test files, relative to the root. Those of a group run in one process, one after another. */
  groups: readonly string[][];
  args: string[];
  /** The socket of the turns of processes. */
  turns: string;
  env: NodeJS.ProcessEnv;
}

export interface AvaEnd {
  code: number;
  /** Undefined if AVA exited before it ran a test. */
  totals: RunTotals | undefined;
  /** The files that took longest, a line each. */
  slowest: string[];
}

const config = fileURLToPath(new URL('ava.config.js', import.meta.url));

/** What each process of tests reads from `ROSTER_TEST_RUN`, as JSON. */
export interface RunOfProcess {
  root: string;
  turns: string;
  /** The file to which the times of test files are appended, a line each. */
  times: string;
  /** The file with the groups, as JSON. */
  groups: string;
}

/** Runs AVA with its report on this process's output. */
export async function runAva({ root, groups, args, turns, env }: AvaRun): Promise<AvaEnd> {
  const directory = await mkdtemp(join(tmpdir(), 'roster-test-run-'));
  try {
    const run: RunOfProcess = {
      root,
      turns,
      times: join(directory, 'times.jsonl'),
      groups: join(directory, 'groups.json'),
    };
    await writeFile(run.groups, JSON.stringify(groups));
    const end = await execute(root, [...args, ...groups.map(([first]) => first!)], {
      ...env,
      ROSTER_TEST_RUN: JSON.stringify(run),
    });
    // There is none if no file ran.
    await copyFile(run.times, join(root, '.roster/test-times.jsonl')).catch(() => undefined);
    return { ...end, slowest: await slowestFiles(run.times) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function execute(
  root: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Omit<AvaEnd, 'slowest'>> {
  const cli = join(dirname(createRequire(join(root, 'package.json')).resolve('ava')), 'cli.js');
  const ava = spawn(process.execPath, [cli, '--config', config, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = () => ava.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);

  let totals: RunTotals | undefined;
  ava.on('message', (message) => (totals = message as RunTotals));
  return new Promise((resolve, reject) => {
    ava.once('error', reject);
    ava.once('close', (code) => resolve({ code: code ?? 1, totals }));
  });
}
