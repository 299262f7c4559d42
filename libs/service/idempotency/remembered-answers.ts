import { createHash } from 'node:crypto';
import { Json, type Answer } from '@roster/bus';
import { Fault } from '@roster/contracts';
import type { Database, Session } from '../database.js';
import type { AnswerCipher } from './answer-cipher.js';
import { idempotencyStatements } from './statements.js';

/** How long an answer is remembered. */
const keepHours = 24;

/** What a call is known by when it is repeated. */
export interface CallKey {
  workspaceId: string;
  /** Null: the caller acts for no user. */
  userId: string | null;
  key: string;
  input: unknown;
}

interface Remembered {
  user_id: string | null;
  operation: string;
  input_sha256: Buffer;
  answer: string;
}

/** What calls of one operation were answered, by their Idempotency-Keys. */
export class RememberedAnswers {
  readonly #sql: ReturnType<typeof idempotencyStatements>;
  readonly #operation: string;
  readonly #cipher: AnswerCipher;

  constructor(schema: string, operation: string, cipher: AnswerCipher) {
    this.#sql = idempotencyStatements(schema);
    this.#operation = operation;
    this.#cipher = cipher;
  }

  /**
   * The answer that the call was given before, or else the one that `handle` gives it now, which is remembered. A refusal is
   * thrown, to undo the transaction and with it the claim: it may turn out differently next time.
   */
  async answerOnce(
    session: Session,
    { workspaceId, userId, key, input }: CallKey,
    handle: () => Promise<Answer<unknown>>,
  ): Promise<Json> {
    const sha256 = createHash('sha256').update(JSON.stringify(input)).digest();
    for (const stored of storedKeys(key, userId)) {
      // Waits for a twin that is in flight, and then sees what it left.
      const claim = [workspaceId, stored, userId, this.#operation, sha256, keepHours];
      if ((await session.query(this.#sql.claim, claim)).length > 0)
        return this.#remember(session, workspaceId, stored, await handle());
      const [first] = await session.query<Remembered>(this.#sql.recall, [workspaceId, stored]);
      if (first!.user_id === null || first!.user_id === userId)
        return this.#repeat(first!, this.#boundTo(workspaceId, stored), sha256);
    }
    throw new Error('the key of a user belongs to another one');
  }

  async #remember(
    session: Session,
    workspaceId: string,
    key: string,
    answer: Answer<unknown>,
  ): Promise<Json> {
    if (answer instanceof Fault) throw answer;
    const text = answer instanceof Json ? answer.text : JSON.stringify(answer);
    const kept = this.#cipher.encrypt(text, this.#boundTo(workspaceId, key));
    await session.query(this.#sql.remember, [workspaceId, key, kept]);
    return new Json(text);
  }

  #repeat(first: Remembered, boundTo: string, sha256: Buffer): Json {
    if (first.operation !== this.#operation || !first.input_sha256.equals(sha256))
      throw new Fault('invalid', 'The Idempotency-Key was already used with a different request.');
    try {
      return new Json(this.#cipher.decrypt(first.answer, boundTo));
    } catch (error) {
      // A process that has the key may answer: see the cipher.
      if (error instanceof Fault) throw error;
      throw new Fault(
        'conflict',
        'The request with this Idempotency-Key was applied, and its response can no longer be decrypted. Read the resource instead.',
        { reason: error instanceof Error ? error.message : String(error) },
      );
    }
  }

  #boundTo(workspaceId: string, key: string): string {
    return `${workspaceId}/${this.#operation}/${key}`;
  }
}

/**
 * What a key may be stored as. The former release knows the first form only, which belongs to the user of the workspace who
 * came first; for any other the key stands after their id. No key contains a space.
 */
const storedKeys = (key: string, userId: string | null): string[] =>
  userId === null ? [key] : [key, `${userId} ${key}`];

/** Forgets keys older than a day. */
export function purgeIdempotencyKeys(database: Database, schema: string): Promise<unknown> {
  return database.query(idempotencyStatements(schema).purge, [keepHours]);
}
