import { Json, type Answer } from '@roster/bus';
import { Fault } from '@roster/contracts';
import type { Database, Session } from '../database.js';
import type { AnswerCipher } from './answer-cipher.js';
import { idempotencyStatements } from './statements.js';

/** Retention of stored responses. */
const keepHours = 24;

/** Identifies a repeated call. */
export interface CallKey {
  workspaceId: string;
  /** Null if the caller has no user. */
  userId: string | null;
  key: string;
  input: unknown;
}

interface Remembered {
  user_id: string | null;
  operation: string;
  /** See `AnswerCipher.hashInput`. */
  input_sha256: Buffer;
  answer: string;
}

/** The stored responses of one operation, by Idempotency-Key. */
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
   * Returns the stored response of the call, or calls `handle` and stores its answer. A refusal is thrown, to roll back the
   * transaction and with it the reserved key: the next attempt may succeed.
   */
  async answerOnce(
    session: Session,
    { workspaceId, userId, key, input }: CallKey,
    handle: () => Promise<Answer<unknown>>,
  ): Promise<Json> {
    const text = JSON.stringify(input);
    for (const stored of storedKeys(key, userId)) {
      const boundTo = this.#boundTo(workspaceId, stored);
      const inputHash = this.#cipher.hashInput(text, boundTo);
      // Waits for a concurrent call with the same key, and then sees its result.
      const claim = [workspaceId, stored, userId, this.#operation, inputHash, keepHours];
      if ((await session.query(this.#sql.claim, claim)).length > 0)
        return this.#remember(session, workspaceId, stored, await handle());
      const [first] = await session.query<Remembered>(this.#sql.recall, [workspaceId, stored]);
      if (first!.user_id === null || first!.user_id === userId)
        return this.#repeat(first!, boundTo, text);
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

  #repeat(first: Remembered, boundTo: string, input: string): Json {
    const { operation, input_sha256: inputHash, answer } = first;
    const isSame =
      operation === this.#operation &&
      this.#cipher.isInputOf({ inputHash, answer }, input, boundTo);
    if (!isSame)
      throw new Fault(
        'idempotency_key_reused',
        'The Idempotency-Key was already used with a different request.',
      );
    try {
      return new Json(this.#cipher.decrypt(answer, boundTo), true);
    } catch (error) {
      // A process that has the decryption key can answer: see the cipher.
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
 * Possible stored forms of a key. The previous release knows only the first form, which belongs to the first user of the
 * workspace who used the key. For other users the key is prefixed with their ID. Keys contain no spaces.
 */
const storedKeys = (key: string, userId: string | null): string[] =>
  userId === null ? [key] : [key, `${userId} ${key}`];

/** Deletes stored responses older than a day. */
export function purgeIdempotencyKeys(database: Database, schema: string): Promise<unknown> {
  return database.query(idempotencyStatements(schema).purge, [keepHours]);
}
