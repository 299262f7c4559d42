import { NotYet, type Log, type ProcessContext } from '@roster/process';
import type { Database, Statement } from '@roster/storage';
import type { TokenCipher } from './token-cipher.js';

/**
 * Delays the boot while the configuration lacks a key of stored tokens or stored responses, or has other bytes for it:
 * secrets encrypted with wrong bytes could not be decrypted after the correction.
 *
 * @throws NotYet with the IDs of these keys
 */
export async function requireKeysInUse(database: Database, cipher: TokenCipher): Promise<void> {
  const used = await keysInUse(database);
  const missing = used.filter((id) => !cipher.knows(id));
  if (missing.length > 0)
    throw new NotYet(
      `TOKEN_KEYS lacks keys that stored tokens are encrypted with: ${missing.join(', ')}. Append them and restart.`,
      { passing: false },
    );
  const wrong: string[] = [];
  for (const id of used) if (await hasOtherBytes(database, cipher, id)) wrong.push(id);
  if (wrong.length > 0)
    throw new NotYet(
      `TOKEN_KEYS has wrong bytes for keys of stored tokens: ${wrong.join(', ')}. Give them the bytes that encrypted these tokens, and restart.`,
      { passing: false },
    );
}

/** The key IDs that stored tokens and stored responses refer to. */
export async function keysInUse(database: Database): Promise<string[]> {
  const rows = await database.query<{ key_id: string }>(selectKeysInUse, []);
  return rows.map(({ key_id }) => key_id);
}

/**
 * Whether a key fails to decrypt every sampled secret that refers to it. One success proves the key right (AES-GCM is
 * authenticated), so single damaged rows do not delay the boot.
 */
async function hasOtherBytes(
  database: Database,
  cipher: TokenCipher,
  keyId: string,
): Promise<boolean> {
  const sample = await database.query<Secret>(sampleSecrets, [keyId, sampleRows]);
  return (
    sample.length > 0 &&
    !sample.some(({ ciphertext, binding }) => cipher.canDecrypt(ciphertext, binding))
  );
}

interface Secret {
  ciphertext: string;
  binding: string;
}

const sampleRows = 20;

/** Covers all workspaces: it reads key IDs only. */
const selectKeysInUse: Statement = {
  name: 'webhooks.keys-in-use',
  plan: 'any',
  text: `
    select distinct substring(ciphertext from '^([A-Za-z0-9_-]{1,32})[.].') as key_id
    from (
      select token_ciphertext as ciphertext from webhooks.webhooks
      union all select headers_ciphertext from webhooks.webhooks where headers_ciphertext is not null
      union all select previous_token_ciphertext from webhooks.webhooks where previous_token_until > now()
      union all select answer from webhooks.idempotency_keys where created_at > now() - interval '1 day'
    ) as secrets
    -- What names no key needs none: see keyIdShape.
    where ciphertext ~ '^[A-Za-z0-9_-]{1,32}[.].'`,
};

/** At most $2 of the tokens and stored responses that refer to the key $1, with their bindings: those that `idempotent` uses. */
const sampleSecrets: Statement = {
  name: 'webhooks.keys-in-use.sample',
  plan: 'any',
  text: `
    select ciphertext, binding
    from (
      select token_ciphertext as ciphertext, workspace_id || '/' || id as binding from webhooks.webhooks
      union all
      select previous_token_ciphertext, workspace_id || '/' || id from webhooks.webhooks
      where previous_token_until > now()
      union all
      select headers_ciphertext, workspace_id || '/' || id || '/headers' from webhooks.webhooks
      where headers_ciphertext is not null
      union all
      select answer, workspace_id || '/' || operation || '/' || key from webhooks.idempotency_keys
      where created_at > now() - interval '1 day'
    ) as secrets
    where split_part(ciphertext, '.', 1) = $1 and split_part(ciphertext, '.', 2) <> ''
    limit $2`,
};

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
