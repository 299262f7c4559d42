import type { ExecutionContext } from 'ava';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';

const paths = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A page of Chromium. Undefined, with a line that says why, if it is not installed; CI fails then. */
export async function openBrowserPage(
  t: ExecutionContext,
  options: BrowserContextOptions = {},
): Promise<Page | undefined> {
  const executablePath = paths.find((path) => path !== '' && existsSync(path));
  if (executablePath === undefined) {
    t.falsy(process.env['CI'], 'CI tests the page in a browser');
    t.log('no Chromium here: set CHROMIUM to its path');
    return undefined;
  }
  const browser = await chromium.launch({
    executablePath,
    // Chromium starts slowly beside other tests.
    timeout: 100_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage(options);
  // On a busy machine a page takes longer than the default of 30 s. The timeout of the test applies.
  page.setDefaultTimeout(0);
  page.setDefaultNavigationTimeout(0);
  return page;
}

/** An empty page of another origin. */
export async function servePage(t: ExecutionContext): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>App</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
