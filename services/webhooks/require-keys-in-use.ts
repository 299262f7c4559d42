import type { Database, Statement } from '@roster/service/storage';
import type { TokenCipher } from './token-cipher.js';

/**
 * Stops the boot when a key that stored tokens need was taken out of the configuration.
 *
 * @throws Error that names the missing keys by their ids
 */
export async function requireKeysInUse(database: Database, cipher: TokenCipher): Promise<void> {
  const used = await database.query<{ key_id: string }>(keysInUse, []);
  const missing = used.map(({ key_id }) => key_id).filter((id) => !cipher.knows(id));
  if (missing.length > 0)
    throw new Error(`TOKEN_KEYS lacks keys that stored tokens need: ${missing.join(', ')}`);
}

/** Of all workspaces: it asks about keys, and reads nobody's data. */
const keysInUse: Statement = {
  name: 'webhooks.keys-in-use',
  text: `
    select distinct split_part(ciphertext, '.', 1) as key_id
    from webhooks.webhooks, lateral (values
      (token_ciphertext),
      (case when previous_token_until > now() then previous_token_ciphertext end)
    ) as tokens (ciphertext)
    where ciphertext is not null`,
};
