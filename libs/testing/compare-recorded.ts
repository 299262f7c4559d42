import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { ExecutionContext } from 'ava';

/**
 * Asserts that a committed file is what it is made from. `npm run record` writes it: it runs the tests that call this with RECORD=1.
 *
 * @param file absolute path
 */
export function compareRecorded(t: ExecutionContext, file: string, text: string): void {
  if (process.env['RECORD']) writeFileSync(file, text);
  const recorded = existsSync(file) ? readFileSync(file, 'utf8') : '';
  t.is(recorded, text, `${relative(process.cwd(), file)} is out of date: npm run record`);
}
