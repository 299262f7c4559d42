import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bin } from '../command-line/run-cli.js';
import { root } from '../cluster/release.js';
import { medianOf } from './load/latencies.js';

/** How long a start of the command line takes. */
export interface StartTime {
  program: string;
  /** Medians, from the start of Node to its end. */
  milliseconds: number;
  /** More than an empty program. */
  moreMs: number;
}

/** Size of a use of the client library, bundled and compressed. */
export interface ClientSize {
  use: string;
  gzipBytes: number;
  limitBytes: number;
}

const turns = 21;
const image = join(root, 'deploy/image/dist/bundles/roster.js');
const programs: Record<string, string[]> = {
  'empty program': ['--eval', ''],
  'roster --version': [bin, '--version'],
  'roster --help': [bin, '--help'],
  'roster contacts list --help': [bin, 'contacts', 'list', '--help'],
  'roster --help in the image': [image, '--help'],
};

/** Starts each program in turn, so that a change of the machine's speed concerns all. The time of npm is not included. */
export function measureStarts(print: (line: string) => void): StartTime[] {
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < turns; turn += 1)
    for (const [name, args] of Object.entries(programs)) {
      const from = performance.now();
      const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
      if (status !== 0) throw new Error(`${name} exited with ${status}`);
      times[name]!.push(performance.now() - from);
    }
  const empty = medianOf(times['empty program']!);
  return Object.entries(times).map(([program, all]) => {
    const milliseconds = Math.round(medianOf(all));
    const moreMs = Math.round(medianOf(all) - empty);
    print(`${program}: ${milliseconds} ms, ${moreMs} ms more than an empty program`);
    return { program, milliseconds, moreMs };
  });
}

/** The sizes of the client library, as its package bounds them. */
export async function measureSizes(print: (line: string) => void): Promise<ClientSize[]> {
  const sizeLimit = join(root, 'node_modules/size-limit/bin.js');
  const { stdout } = await promisify(execFile)(process.execPath, [sizeLimit, '--json'], {
    cwd: join(root, 'libs/client'),
  });
  const sizes = JSON.parse(stdout) as { name: string; size: number; sizeLimit: number }[];
  return sizes.map(({ name, size, sizeLimit: limitBytes }) => {
    print(`${name}: ${size} bytes gzip, at most ${limitBytes}`);
    return { use: name, gzipBytes: size, limitBytes };
  });
}
