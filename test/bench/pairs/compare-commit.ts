import { buildCommit } from '../../former/build-commit.js';
import { processorTimeRatiosMax } from '../compare/expectations.js';
import { compareSystems, type CompareSystemsOptions } from './compare-systems.js';
import type { SystemComparison } from './report.js';

export interface CompareCommitOptions extends Omit<CompareSystemsOptions, 'systems' | 'expected'> {
  /** The complete hash, and what the output calls it. */
  commit: { hash: string; name: string };
}

/** Measures this tree and a former commit. */
export async function compareCommit({
  commit,
  ...options
}: CompareCommitOptions): Promise<SystemComparison[]> {
  options.print(`Building ${commit.name}…`);
  const checkout = await buildCommit(commit.hash, options.signal);
  const { commit: reference, jobs } = processorTimeRatiosMax;
  return compareSystems({
    ...options,
    systems: [{ name: commit.name, checkout }, { name: 'this tree' }],
    expected: (job) => (commit.hash === reference ? jobs[job] : undefined),
  });
}
