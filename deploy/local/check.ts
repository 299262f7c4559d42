/**
 * `npm run check [-- names]`: runs every check, or those that are named, and prints all problems. Node runs it without compilation, because type errors
 * are among the problems it reports.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const checks: Record<string, readonly string[]> = {
  types: [
    'node_modules/turbo/bin/turbo',
    'run',
    'build:tests',
    '--continue',
    '--output-logs=errors-only',
  ],
  lint: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  unused: ['node_modules/knip/bin/knip.js', '--no-progress'],
  boundaries: ['deploy/local/check-boundaries.ts'],
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in checks));
if (unknown.length > 0)
  throw new Error(`There is no check ${unknown.join(', ')}: ${Object.keys(checks).join(', ')}.`);
const chosen = Object.entries(checks).filter(
  ([name]) => named.length === 0 || named.includes(name),
);
let failed = 0;
for (const [name, args] of chosen) {
  const { code, output } = await run(args);
  console.log(`${code === 0 ? '✔' : '✘'} ${name}`);
  if (code === 0) continue;
  failed += 1;
  console.log(`\n${output.trim()}\n`);
}
if (failed > 0) console.log(`${failed} of ${chosen.length} checks found problems.`);
process.exitCode = failed > 0 ? 1 : 0;
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      TURBO_NO_UPDATE_NOTIFIER: '1',
      DO_NOT_TRACK: '1',
    },
  });
  process.once('disconnect', () => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
