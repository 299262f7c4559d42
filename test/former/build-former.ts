import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { nodeFlagsOf, scriptIn, type Release } from '../cluster/release.js';
import { checkOut } from './check-out.js';

const buildTimeoutMs = 600_000;

/** The former release, installed and built. */
export async function buildFormer(commit: string): Promise<Release> {
  const directory = await checkOut(commit);
  // The release's own commands install the packages of its lock file and build what is missing.
  await promisify(execFile)(process.execPath, ['deploy/local/bootstrap.mjs', 'roster', '--help'], {
    cwd: directory,
    timeout: buildTimeoutMs,
  });
  return {
    name: `the former release (${commit.slice(0, 7)})`,
    nodeFlags: nodeFlagsOf(directory),
    scriptOf: (name) => scriptIn(directory, name),
    severalHosts: false,
  };
}
