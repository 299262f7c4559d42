import type { formerRelease } from '@roster/testing';
import { nodeFlagsOf, scriptIn, type Release } from '../cluster/release.js';
import { buildCommit } from './build-commit.js';

/** The former release, installed and built. Fails if the history of this checkout does not reach its commit. */
export async function buildFormer({ version, commit }: typeof formerRelease): Promise<Release> {
  const directory = await buildCommit(commit);
  return {
    name: `the former release (${version})`,
    nodeFlags: nodeFlagsOf(directory),
    scriptOf: (name) => scriptIn(directory, name),
  };
}
