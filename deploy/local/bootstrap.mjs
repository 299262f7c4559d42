/**
 * `npm start`, `npm test` and the other commands of package.json: installs and builds what is missing, then runs the
 * command with the pinned Node. Plain JavaScript, because it runs before packages are installed.
 */
import { build } from './bootstrap/build.mjs';
import { install } from './bootstrap/install.mjs';
import { waitForLock } from './bootstrap/lock.mjs';
import { pinnedNode, root } from './bootstrap/places.mjs';
import { runCommand } from './bootstrap/run-command.mjs';

/**
 * The script of each command, and the dependencies that it needs: those of Roster, or also those of tests and tools.
 * `check` reports type errors among other problems, so it runs its own build.
 */
const commands = {
  start: { script: 'deploy/local/dist/start.js', needs: 'roster' },
  test: { script: 'libs/testing/dist/run.js', needs: 'tests' },
  'test:long': { script: 'libs/testing/dist/run.js', needs: 'tests', env: { ROSTER_LONG: '1' } },
  check: { script: 'deploy/local/check.ts', needs: 'tests', builds: true },
  roster: { script: 'deploy/local/dist/roster.js', needs: 'roster' },
  release: { script: 'deploy/release/dist/release.js', needs: 'tests' },
  'test:kubernetes': { script: 'test/dist/kubernetes/run.js', needs: 'tests' },
  'test:faults': { script: 'test/dist/faults/run.js', needs: 'tests' },
  'test:cluster': { script: 'test/dist/cluster/run.js', needs: 'tests' },
  bench: { script: 'test/dist/bench/run.js', needs: 'tests' },
};

const [name = '', ...args] = process.argv.slice(2);
const command = commands[name];
if (!command) {
  console.error(
    `Usage: node deploy/local/bootstrap.mjs ${Object.keys(commands).join('|')} [arguments]`,
  );
  process.exit(2);
}

try {
  // Two commands in one checkout must not install or build at the same time.
  const release = await waitForLock(`${root}/.roster/bootstrap.lock`);
  try {
    await install(command.needs);
    if (!command.builds) await build(command.needs);
  } finally {
    release();
  }
} catch (error) {
  console.error(error.message);
  // Programs that read the last line of a test run expect the totals.
  if (name === 'test' || name === 'test:long') console.log('0 passed, 1 failed');
  process.exit(1);
}
Object.assign(process.env, command.env);
process.exitCode = await runCommand(pinnedNode, [`${root}/${command.script}`, ...args]);
