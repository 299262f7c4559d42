import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A new empty directory, which is removed after the test. Not from libs/testing, which depends on this package. */
export async function temporaryDirectory(
  t: ExecutionContext,
  prefix = 'roster-test-embedded-',
): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  t.teardown(() => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  return path;
}
