import { commandName } from './home.js';
import type { Demo } from './demo.js';

const answerTimeoutMs = 10_000;

/** The address of the console, with a link that signs in once, unless there is none. */
export async function consoleUrl({ baseUrl, apiKey }: Pick<Demo, 'baseUrl' | 'apiKey'>) {
  const response = await fetch(`${baseUrl}/v1/session-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(answerTimeoutMs),
  }).catch(() => undefined);
  if (!response?.ok) return `${baseUrl}/console`;
  const { link } = (await response.json()) as { link: { path: string } };
  return `${baseUrl}/${link.path}`;
}

/** The lines that `npm start` prints first. */
export const consoleLines = (url: string): string => `
Open the console: ${url}
The link signs in once, within five minutes. Another one: ${commandName()} console link`;

/** Opens an address in the browser of a person who looks at this terminal. Without one, the address is printed. */
export async function openForPerson(url: string): Promise<void> {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasDisplay = process.platform !== 'linux' || DISPLAY || WAYLAND_DISPLAY;
  if (!process.stdout.isTTY || CI || !hasDisplay || process.argv.includes('--no-open')) return;
  // Loaded on demand, because loading it is slow.
  const { openInBrowser } = await import('roster');
  await openInBrowser(url);
}
