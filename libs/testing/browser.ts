import type { ExecutionContext } from 'ava';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';

const require = createRequire(import.meta.url);

const paths = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Starts Chromium. Undefined, with a line that says why, if it is not installed; CI fails then. */
export async function openBrowser(t: ExecutionContext): Promise<Browser | undefined> {
  const executablePath = paths.find((path) => path !== '' && existsSync(path));
  if (executablePath === undefined) {
    t.falsy(process.env['CI'], 'CI tests pages in a browser');
    t.log('no Chromium here: set CHROMIUM to its path');
    return undefined;
  }
  return chromium.launch({
    executablePath,
    // Chromium starts slowly beside other tests.
    timeout: 100_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds on the page as it is: the rule, and the elements.
 *
 * @param impacts of the findings: `critical`, `serious`, `moderate`, `minor`; by default all
 * @param within selector of the elements that are checked; by default all
 */
export async function accessibilityFindings(
  page: Page,
  impacts?: readonly string[],
  within = 'html',
): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run(${JSON.stringify(within)}).then(({ violations }) => violations
    .filter(({ impact }) => ${JSON.stringify(impacts ?? null)}?.includes(impact) ?? true)
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).slice(0, 5).join(' ')))`);
}
