import type { Log, ProcessContext } from '@roster/process';
import type { Database, Session, Statement } from '@roster/storage';
import type { TokenCipher } from './token-cipher.js';
import { tokenBinding } from '../webhook.js';

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
        const rows = await reencryptSecrets(database, cipher, log, stopped.signal);
        if (rows > 0) log.info({ rows, keyId: cipher.currentKeyId }, 're-encrypted stored secrets');
      } catch (error) {
        log.warn({ err: error }, 'failed to re-encrypt stored secrets; retrying in an hour');
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
 * Re-encrypts with the first of `TOKEN_KEYS` the tokens and stored responses that another key encrypted. The other keys can
 * then be removed. Covers all workspaces, because it returns no secrets. Runs in portions ordered by key, and may run
 * repeatedly and concurrently.
 *
 * @returns the number of re-encrypted rows; rows that cannot be decrypted are kept and logged
 */
export async function reencryptSecrets(
  database: Database,
  cipher: TokenCipher,
  log: Pick<Log, 'warn'>,
  signal?: AbortSignal,
): Promise<number> {
  const tokens = await inPortions<TokenRow>(database, selectTokens, cipher.currentKeyId, {
    signal,
    positionOf: ({ workspace_id, id }) => [workspace_id, id],
    rewrite: (session, rows) => rewriteTokens(session, rows, cipher, log),
  });
  const answers = await inPortions<AnswerRow>(database, selectAnswers, cipher.currentKeyId, {
    signal,
    positionOf: ({ workspace_id, key }) => [workspace_id, key],
    rewrite: (session, rows) => rewriteAnswers(session, rows, cipher, log),
  });
  return tokens + answers;
}

interface Portions<Row> {
  /** Stops after the current portion. */
  signal: AbortSignal | undefined;
  positionOf(row: Row): [string, string];
  /** Resolves with the number of re-encrypted rows. */
  rewrite(session: Session, rows: Row[]): Promise<number>;
}

async function inPortions<Row>(
  database: Database,
  select: Statement,
  keyId: string,
  { positionOf, rewrite, signal }: Portions<Row>,
): Promise<number> {
  let written = 0;
  let after: [string, string] | undefined;
  do {
    after = await database.transaction(async (session) => {
      const rows = await session.query<Row>(select, [
        keyId,
        after?.[0] ?? null,
        after?.[1] ?? null,
        portionRows,
      ]);
      if (rows.length > 0) written += await rewrite(session, rows);
      const isLast = rows.length < portionRows || signal?.aborted;
      return isLast ? undefined : positionOf(rows.at(-1)!);
    });
  } while (after);
  return written;
}

interface TokenRow {
  workspace_id: string;
  id: string;
  token_ciphertext: string;
  /** Null if there is none, or if it has expired. */
  previous_token_ciphertext: string | null;
}

async function rewriteTokens(
  session: Session,
  rows: TokenRow[],
  cipher: TokenCipher,
  log: Pick<Log, 'warn'>,
): Promise<number> {
  const rewritten = rows.flatMap((row) => {
    const binding = tokenBinding({ workspaceId: row.workspace_id, id: row.id });
    const { token_ciphertext: token, previous_token_ciphertext: previous } = row;
    try {
      return [
        {
          ...row,
          token: cipher.reencrypt(token, binding),
          previous: previous === null ? null : cipher.reencrypt(previous, binding),
        },
      ];
    } catch (error) {
      log.warn({ err: error, webhookId: row.id }, 'failed to decrypt the token of a webhook');
      return [];
    }
  });
  await session.query(updateTokens, [
    rewritten.map(({ workspace_id }) => workspace_id),
    rewritten.map(({ id }) => id),
    rewritten.map(({ token }) => token),
    rewritten.map(({ previous }) => previous),
  ]);
  return rewritten.length;
}

interface AnswerRow {
  workspace_id: string;
  key: string;
  binding: string;
  answer: string;
}

async function rewriteAnswers(
  session: Session,
  rows: AnswerRow[],
  cipher: TokenCipher,
  log: Pick<Log, 'warn'>,
): Promise<number> {
  const rewritten = rows.flatMap((row) => {
    try {
      return [{ ...row, answer: cipher.reencrypt(row.answer, row.binding) }];
    } catch (error) {
      log.warn({ err: error }, 'failed to decrypt a stored idempotent response');
      return [];
    }
  });
  await session.query(updateAnswers, [
    rewritten.map(({ workspace_id }) => workspace_id),
    rewritten.map(({ key }) => key),
    rewritten.map(({ answer }) => answer),
  ]);
  return rewritten.length;
}

/** $1: the ID of the key in use; ($2, $3): the end of the previous portion, if any. Locks in the order of `reportHealth`. */
const selectTokens: Statement = {
  name: 'webhooks.reencrypt.select-tokens',
  text: `
    select workspace_id, id, token_ciphertext,
      case when previous_token_until > now() then previous_token_ciphertext end as previous_token_ciphertext
    from webhooks.webhooks
    where ($2::uuid is null or (workspace_id, id) > ($2::uuid, $3::uuid))
      and (split_part(token_ciphertext, '.', 1) <> $1 or split_part(previous_token_ciphertext, '.', 1) <> $1)
    order by workspace_id, id
    limit $4
    for no key update`,
};

const updateTokens: Statement = {
  name: 'webhooks.reencrypt.update-tokens',
  text: `
    update webhooks.webhooks w
    set token_ciphertext = r.token, previous_token_ciphertext = r.previous,
      previous_token_until = case when r.previous is not null then w.previous_token_until end
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as r (workspace_id, id, token, previous)
    where w.workspace_id = r.workspace_id and w.id = r.id`,
};

/** The binding that `idempotent` uses. */
const selectAnswers: Statement = {
  name: 'webhooks.reencrypt.select-answers',
  text: `
    select workspace_id, key, workspace_id || '/' || operation || '/' || key as binding, answer
    from webhooks.idempotency_keys
    where ($2::uuid is null or (workspace_id, key) > ($2::uuid, $3::text))
      and split_part(answer, '.', 1) <> $1
      -- Older ones are about to be purged, in another order of locks.
      and created_at > now() - interval '1 day'
    order by workspace_id, key
    limit $4
    for no key update`,
};

const updateAnswers: Statement = {
  name: 'webhooks.reencrypt.update-answers',
  text: `
    update webhooks.idempotency_keys k set answer = r.answer
    from unnest($1::uuid[], $2::text[], $3::text[]) as r (workspace_id, key, answer)
    where k.workspace_id = r.workspace_id and k.key = r.key`,
};
