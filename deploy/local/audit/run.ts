/** `npm run audit`: compares the dependencies of production with the advisories of the registry. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { judgeAdvisories, type Exception } from './judge-advisories.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const exceptions = JSON.parse(
  readFileSync(`${root}/deploy/local/audit/exceptions.json`, 'utf8'),
) as Exception[];

const { lines, failed } = judgeAdvisories(await report(), exceptions, new Date());
for (const line of lines) console.log(line);
process.exitCode = failed ? 1 : 0;
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();

/** What npm prints. It exits with an error if it finds an advisory. */
function report(): Promise<string> {
  const args = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=30000'];
  const options = { cwd: root, timeout: 120_000, maxBuffer: 1 << 26 };
  return new Promise((resolve) => {
    execFile('npm', args, options, (error, stdout) => resolve(stdout || (error?.message ?? '')));
  });
}
