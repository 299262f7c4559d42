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
  key: string;
  input: unknown;
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
    { workspaceId, key, input }: CallKey,
    handle: () => Promise<Answer<unknown>>,
  ): Promise<Json> {
    const sha256 = createHash('sha256').update(JSON.stringify(input)).digest();
    // Waits for a twin that is in flight, and then sees what it left.
    const claim = [workspaceId, key, this.#operation, sha256, keepHours];
    const claimed = await session.query(this.#sql.claim, claim);
    if (claimed.length === 0) return this.#recall(session, workspaceId, key, sha256);
    const answer = await handle();
    if (answer instanceof Fault) throw answer;
    const text = answer instanceof Json ? answer.text : JSON.stringify(answer);
    const kept = this.#cipher.encrypt(text, this.#boundTo(workspaceId, key));
    await session.query(this.#sql.remember, [workspaceId, key, kept]);
    return new Json(text);
  }

  async #recall(session: Session, workspaceId: string, key: string, sha256: Buffer): Promise<Json> {
    const [first] = await session.query<{
      operation: string;
      input_sha256: Buffer;
      answer: string;
    }>(this.#sql.recall, [workspaceId, key]);
    if (first?.operation !== this.#operation || !first.input_sha256.equals(sha256))
      throw new Fault('invalid', 'The Idempotency-Key was already used with a different request.');
    return new Json(this.#cipher.decrypt(first.answer, this.#boundTo(workspaceId, key)));
  }

  #boundTo(workspaceId: string, key: string): string {
    return `${workspaceId}/${this.#operation}/${key}`;
  }
}

/** Forgets keys older than a day. */
export function purgeIdempotencyKeys(database: Database, schema: string): Promise<unknown> {
  return database.query(idempotencyStatements(schema).purge, [keepHours]);
}
