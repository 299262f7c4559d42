import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { startPostgres } from '@roster/embedded';

/** The folder of a server that was started once. The test runner sets it: to create a cluster takes a second of processor time. */
const made = () => process.env.ROSTER_TEST_CLUSTER;

/** Makes the cluster that others are copies of. */
export async function makeNewCluster(dataDir: string): Promise<void> {
  const server = await startPostgres({ dataDir, durable: false });
  await server.stop();
}

/** Copies a new cluster to a folder that PostgreSQL is started in next, or does nothing: PostgreSQL creates one then. */
export async function copyNewCluster(dataDir: string, from = made()): Promise<void> {
  // The account of the server owns the files.
  if (from) await promisify(execFile)('cp', ['-a', `${from}/.`, dataDir]);
}
