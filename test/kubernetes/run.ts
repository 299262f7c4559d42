/**
 * `npm run test:kubernetes [-- part … --seconds 5 --rate 20 --keep --force]`: applies the manifests to the cluster of
 * KUBECONFIG, and checks their promises. A run of all parts leaves its summary beside this file.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../cluster/release.js';
import { OptionsError } from '../command-line/read-options.js';
import { parts, readSettings, SettingsError } from './settings.js';
import { RequiredCheckFailed, Journal, summaryOf } from './journal.js';
import { deleteNamespaces } from './cluster/claim.js';
import { KubectlMissing } from './cluster/kubectl.js';
import { proveManifests } from './prove-manifests.js';

const summaryFile = join(root, 'test/kubernetes/last-run.txt');

/** Time limit of the whole test. */
const minutesMax = 45;

process.exitCode = await Promise.race([main(), interrupted()]);
// The interrupted test must not continue during the cleanup.
process.exit();

async function main(): Promise<number> {
  const lines: string[] = [];
  const journal = new Journal((line) => {
    lines.push(line);
    console.log(line);
  });
  let all = false;
  try {
    const settings = readSettings(process.argv.slice(2), process.env);
    all = settings.parts.length === parts.length;
    await proveManifests(settings, journal, randomBytes(16).toString('hex'));
  } catch (error) {
    if ([SettingsError, OptionsError, KubectlMissing].some((kind) => error instanceof kind)) {
      console.error((error as Error).message);
      return 1;
    }
    if (error instanceof RequiredCheckFailed)
      console.log(`Later checks require it and were not run: ${error.message}.`);
    else
      await journal.check('the test runs to its end', () => {
        throw error;
      });
  }
  console.log(journal.verdict());
  if (all) await writeFile(summaryFile, summaryOf(lines, journal.verdict(), commit()));
  return journal.failed > 0 ? 1 : 0;
}

/** The checked-out commit, from which the manifests are. */
function commit(): string {
  const args = ['describe', '--always', '--dirty', '--abbrev=12'];
  return execFileSync('git', args, { cwd: root }).toString().trim();
}

/** Resolves when the test is interrupted, and the objects it created are being deleted. */
async function interrupted(): Promise<number> {
  const why = await new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve(`Stopped by ${signal}.`));
    process.once('disconnect', () => resolve('The parent process has exited.'));
    setTimeout(
      () => resolve(`The test did not end within ${minutesMax} minutes.`),
      minutesMax * 60_000,
    );
  });
  console.log(`${why} Deleting the created objects.`);
  await deleteNamespaces({ wait: false });
  return 1;
}
