import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A new empty directory, which is removed after the test. */
export async function temporaryDirectory(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'roster-test-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}
