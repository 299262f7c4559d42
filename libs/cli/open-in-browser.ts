import { spawn } from 'node:child_process';
import { once } from 'node:events';

const launchers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };

/** Opens an address in the browser of this machine. Nothing happens if there is none. */
export async function openInBrowser(url: string): Promise<void> {
  const launched = spawn(launchers[process.platform] ?? 'xdg-open', [url], {
    stdio: 'ignore',
    detached: true,
  });
  await once(launched, 'spawn').catch(() => {});
  launched.unref();
}
