import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds serious or critical in a page, as it is: the rule and the elements. */
export async function findingsOf(
  page: Page,
  impacts: readonly string[] = ['critical', 'serious'],
): Promise<string[]> {
  await page.evaluate(source);
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => ${JSON.stringify(impacts)}.includes(impact))
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).slice(0, 5).join(', ')))`);
}

export const schemes = ['light', 'dark'] as const;
export const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;
