import type { ExecutionContext } from 'ava';
import { existsSync } from 'node:fs';
import puppeteer, { type Page } from 'puppeteer-core';

const paths = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A page of Chromium. Undefined, with a line that says why, if it is not installed; CI fails then. */
export async function openBrowserPage(t: ExecutionContext): Promise<Page | undefined> {
  const executablePath = paths.find((path) => path !== '' && existsSync(path));
  if (executablePath === undefined) {
    t.falsy(process.env['CI'], 'CI tests the page in a browser');
    t.log('no Chromium here: set CHROMIUM to its path');
    return undefined;
  }
  const browser = await puppeteer.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  t.teardown(() => browser.close());
  return browser.newPage();
}
