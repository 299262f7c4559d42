import { createHash } from 'node:crypto';
import { internal, Json, spareNeighbours, type Answer, type Call, type Handler } from '@roster/bus';
import { Fault, uuidOf, type InputOf, type Operation, type OutputOf } from '@roster/contracts';
import type { Database, Session, Statement } from './database.js';

/** Answers calls within a session: the pool, or the transaction that also remembers the answer. */
export type SessionHandler<O extends Operation> = (
  calls: Call<InputOf<O>>[],
  session: Session,
) => Promise<Answer<OutputOf<O>>[]>;

/** The table, for the service's migration. */
export const idempotencyTable = (schema: string): string[] => [
  `create table ${schema}.idempotency_keys (
    workspace_id uuid not null,
    key text not null,
    operation text not null,
    input_sha256 bytea not null,
    answer text,
    created_at timestamptz not null default now(),
    primary key (workspace_id, key)
  )`,
  `create index idempotency_keys_created_at on ${schema}.idempotency_keys using brin (created_at)`,
];

/** Keeps remembered answers that hold a secret unreadable in the database. */
export interface AnswerCipher {
  /** @param boundTo what the text belongs to: it can be decrypted for nothing else */
  encrypt(text: string, boundTo: string): string;
  decrypt(text: string, boundTo: string): string;
}

/** How long an answer is remembered. */
const keepHours = 24;

/**
 * Makes a write safe to repeat: a call with an Idempotency-Key that succeeded before gets the first answer again, for 24
 * hours. The key is remembered in the transaction of the change, so that both exist or neither; a refused call, which
 * changes nothing, remembers nothing. Calls without a key stay together in their batch.
 *
 * @param cipher for answers that hold a secret
 */
export function idempotent<O extends Operation>(
  database: Database,
  schema: string,
  operation: string,
  handler: SessionHandler<O>,
  cipher: AnswerCipher = plain,
): Handler<O> {
  const sql = statements(schema);
  return async (calls) => {
    const answers: Answer<OutputOf<O>>[] = [];
    for (let at = 0; at < calls.length;) {
      const call = calls[at]!;
      if (call.idempotencyKey === undefined) {
        const next = calls.findIndex(
          (other, index) => index > at && other.idempotencyKey !== undefined,
        );
        const plain = calls.slice(at, next === -1 ? undefined : next);
        answers.push(...(await spareNeighbours<O>(plain, (some) => handler(some, database))));
        at += plain.length;
      } else {
        answers.push(await answerOnce(call));
        at += 1;
      }
    }
    return answers;
  };

  async function answerOnce(call: Call<InputOf<O>>): Promise<Answer<OutputOf<O>>> {
    const workspaceId = uuidOf('workspace', call.caller.workspaceId);
    const sha256 = createHash('sha256').update(JSON.stringify(call.input)).digest();
    try {
      return await database.transaction(async (session) => {
        // Waits for a twin that is under way, and then sees what it left.
        const claimed = await session.query(sql.claim, [
          workspaceId,
          call.idempotencyKey,
          operation,
          sha256,
          keepHours,
        ]);
        if (claimed.length === 0)
          return await repeat(session, workspaceId, call.idempotencyKey!, sha256);
        const answer = (await handler([call], session))[0]!;
        // Thrown to undo the claim; a refusal may turn out differently next time.
        if (answer instanceof Fault) throw answer;
        const text = answer instanceof Json ? answer.text : JSON.stringify(answer);
        const kept = cipher.encrypt(text, boundTo(workspaceId, call.idempotencyKey!));
        await session.query(sql.remember, [workspaceId, call.idempotencyKey, kept]);
        return new Json(text);
      });
    } catch (error) {
      return error instanceof Fault ? error : internal(error);
    }
  }

  async function repeat(
    session: Session,
    workspaceId: string,
    key: string,
    sha256: Buffer,
  ): Promise<Json | Fault> {
    const [first] = await session.query<{
      operation: string;
      input_sha256: Buffer;
      answer: string;
    }>(sql.recall, [workspaceId, key]);
    if (first && first.operation === operation && first.input_sha256.equals(sha256)) {
      return new Json(cipher.decrypt(first.answer, boundTo(workspaceId, key)));
    }
    return new Fault('invalid', 'This Idempotency-Key was used for a different request.');
  }

  function boundTo(workspaceId: string, key: string): string {
    return `${workspaceId}/${operation}/${key}`;
  }
}

const plain: AnswerCipher = { encrypt: (text) => text, decrypt: (text) => text };

/** Forgets keys older than a day. */
export function purgeIdempotencyKeys(database: Database, schema: string): Promise<unknown> {
  return database.query(statements(schema).purge, [keepHours]);
}

const statements = (schema: string) => {
  const table = `${schema}.idempotency_keys`;
  const named = (name: string, text: string): Statement => ({ name: `idempotency.${name}`, text });
  return {
    // A key past its day is taken over, whether or not it was purged yet.
    claim: named(
      'claim',
      `insert into ${table} as k (workspace_id, key, operation, input_sha256) values ($1, $2, $3, $4)
       on conflict (workspace_id, key) do update
         set operation = excluded.operation, input_sha256 = excluded.input_sha256, answer = null, created_at = now()
         where k.created_at < now() - $5 * interval '1 hour'
       returning 1`,
    ),
    remember: named(
      'remember',
      `update ${table} set answer = $3 where workspace_id = $1 and key = $2`,
    ),
    recall: named(
      'recall',
      `select operation, input_sha256, answer from ${table} where workspace_id = $1 and key = $2`,
    ),
    purge: named('purge', `delete from ${table} where created_at < now() - $1 * interval '1 hour'`),
  };
};
