import type { ExecutionContext } from 'ava';
import { openBrowser } from '@roster/testing/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** One for a file of tests, until `closeBrowser`. */
let browser: Promise<Browser | undefined> | undefined;

export async function closeBrowser(): Promise<void> {
  const closing = browser;
  browser = undefined;
  await (await closing)?.close();
}

/** A workspace, by an API key of it. */
export interface Credentials {
  baseUrl: string;
  apiKey: string;
}

export interface ConsoleOptions extends BrowserContextOptions {
  /** `/contacts`. */
  path?: string;
  /** Statuses of answers that the test provokes. Others from 400 on are problems. */
  expectedStatuses?: number[];
  /** Set by a test that provokes problems: they are added here, and do not fail it. */
  problems?: string[];
}

/** What a page must not do: violate its policy, fail with an error, log one, or get an answer that nobody expects. */
function problemsOf(
  page: Page,
  expectedStatuses: readonly number[],
  problems: string[] = [],
): string[] {
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium logs a line for each answer from 400 on, which is judged by its status.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !expectedStatuses.includes(status))
      problems.push(
        `${status}: ${response.request().method()} ${new URL(response.url()).pathname}`,
      );
  });
  return problems;
}

/**
 * A page in a browser context of its own. At its end, the test fails if the page had problems. Undefined without Chromium.
 */
export async function openPage(
  t: ExecutionContext,
  { expectedStatuses = [], problems: provoked, ...options }: Omit<ConsoleOptions, 'path'> = {},
): Promise<Page | undefined> {
  browser ??= openBrowser(t);
  const opened = await browser;
  if (!opened) return undefined;
  const context = await opened.newContext({ viewport: { width: 1280, height: 820 }, ...options });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  // A browser without a session asks for a token once.
  const problems = problemsOf(page, [401, ...expectedStatuses], provoked);
  t.teardown(() => {
    if (!provoked && problems.length > 0) throw new Error(problems.join('\n'));
  });
  return page;
}

/** A page of the console that has signed in with a link, as a newcomer does. Undefined without Chromium. */
export async function openConsole(
  t: ExecutionContext,
  credentials: Credentials,
  { path = '/contacts', ...options }: ConsoleOptions = {},
): Promise<Page | undefined> {
  const page = await openPage(t, options);
  if (!page) return undefined;
  await page.goto(await signInUrl(credentials));
  await page.getByRole('button', { name: /^Open / }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  if (path !== '/contacts') await page.goto(`${credentials.baseUrl}/console${path}`);
  return page;
}

/** The address of the console with a link that signs in. */
export async function signInUrl({ baseUrl, apiKey }: Credentials): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/session-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { link } = (await response.json()) as { link: { path: string } };
  return `${baseUrl}/${link.path}`;
}
