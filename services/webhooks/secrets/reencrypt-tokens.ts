import type { Log, ProcessContext } from '@roster/process';
import type { Database, Session, Statement } from '@roster/storage';
import { headersBinding, tokenBinding } from '../webhook.js';
import type { TokenCipher } from './token-cipher.js';

const everyMs = 3_600_000;
/** Maximum number of rows per transaction: other writers of a row wait for it. */
const portionRows = 200;

/**
 * Re-encrypts immediately and then every hour, in the background. A replica with the previous order of keys continues to
 * encrypt with the other key until it is stopped.
 */
export function startReencryption(
  { log, onShutdown }: Pick<ProcessContext<unknown>, 'log' | 'onShutdown'>,
  database: Database,
  cipher: TokenCipher,
): void {
  let running = Promise.resolve();
  const stopped = new AbortController();
  const run = () => {
    running = running.then(async () => {
      try {
        const rows = await reencryptTokens(database, cipher, log, stopped.signal);
        if (rows > 0) log.info({ rows, keyId: cipher.currentKeyId }, 're-encrypted stored tokens');
      } catch (error) {
        log.warn({ err: error }, 'failed to re-encrypt stored tokens; retrying in an hour');
      }
    });
  };
  run();
  const timer = setInterval(run, everyMs);
  onShutdown(async () => {
    clearInterval(timer);
    stopped.abort();
    await running;
  });
}

/**
 * Re-encrypts with the first of `TOKEN_KEYS` the tokens that another key encrypted. That key can be removed a day later: stored
 * responses are not re-encrypted, and are returned for a day. Covers all workspaces, because it returns no secrets. Runs in
 * portions ordered by key, and may run repeatedly and concurrently.
 *
 * @param signal stops it after the current portion
 * @returns the number of re-encrypted rows; rows that cannot be decrypted are kept and logged
 */
export async function reencryptTokens(
  database: Database,
  cipher: TokenCipher,
  log: Pick<Log, 'warn'>,
  signal?: AbortSignal,
): Promise<number> {
  let written = 0;
  let last: TokenRow | undefined;
  do {
    last = await database.transaction(async (session) => {
      const rows = await session.query<TokenRow>(select, [
        cipher.currentKeyId,
        last?.workspace_id ?? null,
        last?.id ?? null,
        portionRows,
      ]);
      if (rows.length > 0) written += await rewrite(session, rows, cipher, log);
      return rows.length < portionRows || signal?.aborted ? undefined : rows.at(-1);
    });
  } while (last);
  return written;
}

interface TokenRow {
  workspace_id: string;
  id: string;
  token_ciphertext: string;
  /** Null if there is none, or if it has expired. */
  previous_token_ciphertext: string | null;
  headers_ciphertext: string | null;
}

async function rewrite(
  session: Session,
  rows: TokenRow[],
  cipher: TokenCipher,
  log: Pick<Log, 'warn'>,
): Promise<number> {
  const rewritten = rows.flatMap((row) => {
    const owner = { workspaceId: row.workspace_id, id: row.id };
    const binding = tokenBinding(owner);
    const { token_ciphertext: token, previous_token_ciphertext: previous } = row;
    const { headers_ciphertext: headers } = row;
    try {
      return [
        {
          ...row,
          token: cipher.reencrypt(token, binding),
          previous: previous === null ? null : cipher.reencrypt(previous, binding),
          headers: headers === null ? null : cipher.reencrypt(headers, headersBinding(owner)),
        },
      ];
    } catch (error) {
      log.warn({ err: error, webhookId: row.id }, 'failed to decrypt a secret of a webhook');
      return [];
    }
  });
  await session.query(update, [
    rewritten.map(({ workspace_id }) => workspace_id),
    rewritten.map(({ id }) => id),
    rewritten.map(({ token }) => token),
    rewritten.map(({ previous }) => previous),
    rewritten.map(({ headers }) => headers),
  ]);
  return rewritten.length;
}

/** $1: the ID of the key in use; ($2, $3): the end of the previous portion, if any. Locks in the order of `reportHealth`. */
const select: Statement = {
  name: 'webhooks.reencrypt.select',
  text: `
    select workspace_id, id, token_ciphertext, headers_ciphertext,
      case when previous_token_until > now() then previous_token_ciphertext end as previous_token_ciphertext
    from webhooks.webhooks
    where ($2::uuid is null or (workspace_id, id) > ($2::uuid, $3::uuid))
      and (split_part(token_ciphertext, '.', 1) <> $1 or split_part(previous_token_ciphertext, '.', 1) <> $1
        or split_part(headers_ciphertext, '.', 1) <> $1)
    order by workspace_id, id
    limit $4
    for no key update`,
};

const update: Statement = {
  name: 'webhooks.reencrypt.update',
  text: `
    update webhooks.webhooks w
    set token_ciphertext = r.token, headers_ciphertext = r.headers, previous_token_ciphertext = r.previous,
      previous_token_until = case when r.previous is not null then w.previous_token_until end
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
      as r (workspace_id, id, token, previous, headers)
    where w.workspace_id = r.workspace_id and w.id = r.id`,
};
