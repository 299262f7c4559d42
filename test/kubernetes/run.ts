/**
 * `npm run test:kubernetes [-- --seconds 5 --rate 20 --keep --force]`: applies the manifests to the cluster that KUBECONFIG
 * names, and proves what they promise.
 */
import { randomBytes } from 'node:crypto';
import { OptionsError } from '../command-line/read-options.js';
import { readSettings, SettingsError } from './settings.js';
import { Abandoned, Journal } from './journal.js';
import { deleteNamespaces } from './cluster/claim.js';
import { KubectlMissing } from './cluster/kubectl.js';
import { proveManifests } from './prove-manifests.js';

/** However many waits run into their bounds. */
const minutesMax = 45;

process.exitCode = await Promise.race([main(), interrupted()]);
// What was interrupted must not go on meanwhile.
process.exit();

async function main(): Promise<number> {
  const journal = new Journal((line) => console.log(line));
  try {
    const settings = readSettings(process.argv.slice(2), process.env);
    await proveManifests(settings, journal, randomBytes(16).toString('hex'));
  } catch (error) {
    if ([SettingsError, OptionsError, KubectlMissing].some((kind) => error instanceof kind)) {
      console.error((error as Error).message);
      return 1;
    }
    if (error instanceof Abandoned)
      console.log(`What follows relies on it, and was not judged: ${error.message}.`);
    else
      await journal.check('the test runs to its end', () => {
        throw error;
      });
  }
  console.log(journal.verdict());
  return journal.failed > 0 ? 1 : 0;
}

/** Resolves when the test is to end before it is through, and what it made is being deleted. */
async function interrupted(): Promise<number> {
  const why = await new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve(`Ended by ${signal}.`));
    process.once('disconnect', () => resolve('Ended with the process that started it.'));
    setTimeout(() => resolve(`Not through after ${minutesMax} minutes.`), minutesMax * 60_000);
  });
  console.log(`${why} Deleting what was made.`);
  await deleteNamespaces({ wait: false });
  return 1;
}
