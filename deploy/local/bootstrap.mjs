/**
 * `npm start`, `npm test` and the other commands of package.json: installs and builds what is missing, then hands over to
 * the command under the pinned Node. Plain JavaScript, because it runs before anything is there.
 */
import { build } from './bootstrap/build.mjs';
import { install } from './bootstrap/install.mjs';
import { waitForLock } from './bootstrap/lock.mjs';
import { pinnedNode, root } from './bootstrap/places.mjs';
import { runCommand } from './bootstrap/run-command.mjs';

/** What each command runs. Checking reports type errors among other problems, so it builds by itself. */
const commands = {
  start: { script: 'deploy/local/dist/start.js', needsBuild: true },
  test: { script: 'libs/testing/dist/run.js', needsBuild: true },
  check: { script: 'deploy/local/check.ts', needsBuild: false },
  roster: { script: 'deploy/local/dist/roster.js', needsBuild: true },
  'test:faults': { script: 'test/dist/faults/run.js', needsBuild: true },
  bench: { script: 'test/dist/bench/run.js', needsBuild: true },
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
  // Two commands at once in one checkout must not install or build over each other.
  const release = await waitForLock(`${root}/.roster/bootstrap.lock`);
  try {
    await install();
    if (command.needsBuild) await build();
  } finally {
    release();
  }
} catch (error) {
  console.error(error.message);
  // Whoever reads the last line of a test run finds what they expect.
  if (name === 'test') console.log('0 passed, 1 failed');
  process.exit(1);
}
process.exitCode = await runCommand(pinnedNode, [`${root}/${command.script}`, ...args]);
