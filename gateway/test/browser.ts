import type { ExecutionContext } from 'ava';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessibilityFindings, openBrowser } from '@roster/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';

/** A page of Chromium. Undefined, with a line that says why, if it is not installed; CI fails then. */
export async function openBrowserPage(
  t: ExecutionContext,
  options: BrowserContextOptions = {},
): Promise<Page | undefined> {
  const browser = await openBrowser(t);
  if (!browser) return undefined;
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

/** What axe finds critical or serious in a page, as it is. */
export const findingsOf = (
  page: Page,
  impacts: readonly string[] = ['critical', 'serious'],
): Promise<string[]> => accessibilityFindings(page, impacts);

export const schemes = ['light', 'dark'] as const;
export const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;
