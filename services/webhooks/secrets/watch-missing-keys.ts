import type { Log, ProcessContext } from '@roster/process';
import type { Database } from '@roster/storage';
import { keysInUse } from './keys-in-use.js';
import type { TokenCipher } from './token-cipher.js';

type Context = Pick<ProcessContext<unknown>, 'requires' | 'onShutdown'> & {
  log: Pick<Log, 'warn' | 'info' | 'debug'>;
};

/**
 * Makes the process not ready when it reads a secret that another process encrypted with a key it lacks: the check
 * `token-keys` fails until no stored secret requires the key. A process receives further keys only by a restart.
 */
export function watchMissingKeys(
  { requires, log, onShutdown }: Context,
  database: Database,
  cipher: TokenCipher,
  everyMs = 10_000,
): void {
  const missing = new Set<string>();
  requires('token-keys', () => missing.size === 0);
  cipher.onMissingKey((keyId) => {
    if (missing.has(keyId)) return;
    missing.add(keyId);
    log.warn({ keyId }, 'TOKEN_KEYS lacks a key of stored tokens: append it and restart');
  });
  let busy = false;
  const timer = setInterval(() => void recheck(), everyMs);
  onShutdown(() => clearInterval(timer));

  async function recheck(): Promise<void> {
    if (missing.size === 0 || busy) return;
    busy = true;
    try {
      const used = new Set(await keysInUse(database));
      for (const keyId of missing) {
        if (used.has(keyId)) continue;
        missing.delete(keyId);
        log.info({ keyId }, 'no stored token needs the missing key anymore');
      }
    } catch (error) {
      // PostgreSQL is unreachable, which another check reports.
      log.debug({ err: error }, 'failed to look up the keys in use');
    } finally {
      busy = false;
    }
  }
}
