/**
 * `npm test [-- paths and ava's options]`: runs the compiled tests against one throwaway PostgreSQL server, without paths all but the
 * long files.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startPostgres } from '@roster/embedded';

import { groupsOf } from './runner/groups.js';
import { removeOrphanedTests } from './runner/remove-orphaned-tests.js';
import { offerSharedProcess } from './runner/shared-process.js';
import { runAva } from './runner/run-ava.js';
import { copyNewCluster, makeNewCluster } from './new-cluster.js';
import { offerTurns } from './runner/turns.js';
import { capacity } from './runner/weight-of.js';
import { describeOutcome, outcomeOf } from './runner/outcome.js';
import { allFiles, selectFiles } from './runner/select-files.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

process.exitCode = await run(process.argv.slice(2));
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();

async function run(args: string[]): Promise<number> {
  await removeOrphanedTests(root);
  const { files: named, lines, options, problems } = selectFiles(args, root);
  if (problems.length > 0) {
    for (const problem of problems) console.error(problem);
    console.log(describeOutcome({ passed: 0, failed: problems.length, skipped: 0 }));
    return 1;
  }
  const isNamed = named.length + lines.length > 0;
  const withLong =
    process.env.ROSTER_LONG !== undefined || process.env.ROSTER_TEST_LONG_FILES !== undefined;
  const files = isNamed ? named : allFiles(root, withLong);
  const server = await testServer(process.env.DATABASE_URL);
  const shared = await offerSharedProcess();
  const turns = await offerTurns(capacity);
  try {
    const { DATABASE_URL: _, NATS_URL: __, ...env } = process.env;
    const { code, totals, slowest } = await runAva({
      root,
      groups: groupsOf(files, root),
      args: [...options, ...lines],
      turns: turns.socket,
      // Tests create databases on this server. They always start NATS servers of their own, because they kill them.
      env: {
        ...env,
        ROSTER_TEST_DATABASE_URL: server.url,
        ...(server.cluster && {
          ROSTER_TEST_TEMPLATES: '1',
          ROSTER_TEST_CLUSTER: server.cluster,
        }),
        ROSTER_TEST_SHARED: shared.socket,
        // Each process imports a thousand modules: their compilation is a fourth of what that costs.
        NODE_COMPILE_CACHE: join(root, '.roster/compile-cache'),
      },
    });
    const outcome = outcomeOf(totals, code);
    await Promise.all([turns.end(), shared.end(), server.stop()]);
    console.log(['The slowest files, by wall time and processor time:', ...slowest].join('\n'));
    if (!isNamed && !withLong)
      console.log('Long test files were left out: npm run test:long runs them, too.');
    console.log(describeOutcome(outcome));
    return outcome.failed > 0 || outcome.passed === 0 ? 1 : 0;
  } finally {
    await Promise.all([turns.end(), shared.end(), server.stop()]);
  }
}

async function testServer(
  given: string | undefined,
): Promise<{ url: string; cluster?: string; stop(): Promise<void> }> {
  if (given) return { url: given, stop: async () => {} };

  const folder = await mkdtemp(join(tmpdir(), 'roster-test-'));
  const cluster = join(folder, 'new');
  await makeNewCluster(cluster);
  const dataDir = join(folder, 'server');
  await mkdir(dataDir, { mode: 0o700 });
  await copyNewCluster(dataDir, cluster);
  const server = await startPostgres({
    dataDir,
    durable: false,
    settings: { max_connections: '300' },
  });
  return {
    url: server.url,
    cluster,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
