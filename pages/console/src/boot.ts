/** What boot.js found before the first paint. */
interface Boot {
  /** Absolute URL of the console, without a final slash. The gateway can be mounted below any path. */
  console: string;
  /** A link for signing in that the address contained. */
  link?: string;
}

const boot = (globalThis as unknown as { roster: Boot }).roster;

/** A link signs in once: who signs out later needs another. */
export function takeSignInLink(): string | undefined {
  const { link } = boot;
  delete boot.link;
  return link;
}
/** Path of the console, `/console`. */
export const consolePath = new URL(boot.console).pathname;
/** Absolute URL of the gateway, without a final slash. */
export const gatewayUrl = boot.console.replace(/\/console$/, '');
