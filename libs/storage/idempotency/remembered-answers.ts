import { Contended, Json, type Answer, type Call } from '@roster/bus';
import { Fault } from '@roster/contracts';
import { violatedUnique, type Database, type Session } from '../database.js';
import { deleteInPortions } from '../retention.js';
import type { AnswerCipher } from './answer-cipher.js';
import { keyInUse } from './keys-in-use.js';
import { idempotencyStatements } from './statements.js';
import {
  credentialOf,
  formerInputText,
  inputText,
  isOwn,
  storedKeys,
  userOf,
  workspaceOf,
} from './stored-keys.js';

/** Retention of stored responses. */
const keepHours = 24;

/** What is stored with the answer of a call. */
export interface CallRecord {
  workspaceId: string;
  /** See `credentialOf`. */
  credential: string;
  /** Until 0.4.0: the user whose credential it is, which 0.2.0 reads. Null if the caller has no user. */
  userId: string | null;
  /** One of `storedKeys`. */
  key: string;
  /** See `AnswerCipher.hashInput`. */
  inputHash: Buffer;
}

/** A call, and the record with which its answer must be stored. */
export interface RecordedCall<Input = unknown> extends Call<Input> {
  record?: CallRecord;
}

interface Remembered {
  workspace_id: string;
  key: string;
  credential: string | null;
  user_id: string | null;
  operation: string;
  input_sha256: Buffer;
  answer: string;
  expired: boolean;
}

/** What is known of a call before it is handled: its answer, or the record of a new key. Neither for a call without a key. */
export interface Recalled {
  answer?: Json | Fault;
  record?: CallRecord;
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
   * Locks the keys of calls until the end of the transaction, except of those that are refused already. Returns the refusals, with
   * those of calls whose key another transaction has locked.
   */
  async lock(
    session: Session,
    calls: readonly Call[],
    refusals: readonly (Fault | undefined)[],
  ): Promise<(Fault | undefined)[]> {
    const isOpen = ({ idempotencyKey }: Call, index: number) =>
      idempotencyKey !== undefined && !refusals[index];
    const keyed = calls.filter(isOpen);
    if (keyed.length === 0) return [...refusals];
    const rows = await session.query<{ locked: boolean }>(this.#sql.lock, [
      keyed.map(workspaceOf),
      keyed.map(credentialOf),
      keyed.map(({ idempotencyKey }) => idempotencyKey),
    ]);
    const locked = rows.values();
    return calls.map((call, index) =>
      !isOpen(call, index) || locked.next().value!.locked ? refusals[index] : keyInUse,
    );
  }

  /**
   * Answers calls whose keys are in use: with the stored response of an earlier call if there is one, because then the call that
   * uses the key is repeated as well. Locks nothing.
   */
  async answerInUse(
    session: Session,
    calls: readonly Call[],
    refusals: readonly (Fault | undefined)[],
  ): Promise<(Json | Fault | undefined)[]> {
    const refused = calls.filter((_, index) => refusals[index]);
    const rows = byKey((await this.#find(session, refused)).filter(isCurrent));
    return calls.map((call, index) => {
      const row = refusals[index] && this.#ownRow(call, rows);
      return row ? this.#repeat(row, call) : refusals[index];
    });
  }

  /** Looks up calls by their keys. Expired keys are deleted. No two records have the same stored key. */
  async recall(session: Session, calls: readonly Call[]): Promise<Recalled[]> {
    const found = await this.#find(session, calls);
    const expired = found.filter((row) => row.expired);
    if (expired.length > 0)
      await session.query(this.#sql.forget, [
        expired.map(({ workspace_id }) => workspace_id),
        expired.map(({ key }) => key),
        keepHours,
      ]);
    const rows = byKey(found.filter(isCurrent));
    const assigned = new Set<string>();
    return calls.map((call) => this.#recallOne(call, rows, assigned));
  }

  #recallOne(call: Call, rows: ReadonlyMap<string, Remembered>, assigned: Set<string>): Recalled {
    const workspaceId = workspaceOf(call);
    const keys = storedKeys(call);
    if (keys.length === 0) return {};
    const own = this.#ownRow(call, rows);
    if (own) return { answer: this.#repeat(own, call) };
    const nameOf = (key: string) => `${workspaceId} ${key}`;
    const key = keys.find((form) => !rows.has(nameOf(form)) && !assigned.has(nameOf(form)));
    if (key === undefined) throw new Error('the key of a credential belongs to another one');
    assigned.add(nameOf(key));
    const inputHash = this.#cipher.hashInput(inputText(call), this.#boundTo(workspaceId, key));
    const owner = { credential: credentialOf(call), userId: userOf(call) };
    return { record: { workspaceId, ...owner, key, inputHash } };
  }

  /** The stored responses of the keys of calls, in every form, of any credential. */
  async #find(session: Session, calls: readonly Call[]): Promise<Remembered[]> {
    const forms = calls.flatMap((call) =>
      storedKeys(call).map((key) => ({ workspaceId: workspaceOf(call), key })),
    );
    if (forms.length === 0) return [];
    return session.query<Remembered>(this.#sql.recall, [
      forms.map(({ workspaceId }) => workspaceId),
      forms.map(({ key }) => key),
      keepHours,
    ]);
  }

  /** What is stored with the key for the credential of a call. */
  #ownRow(call: Call, rows: ReadonlyMap<string, Remembered>): Remembered | undefined {
    // The form that belongs to the credential first: that of another one may have expired before it.
    return storedKeys(call)
      .toReversed()
      .map((key) => rows.get(`${workspaceOf(call)} ${key}`))
      .find((row) => row && isOwn(row, call));
  }

  /**
   * Stores the results of calls with a record, not their faults: the next attempt may succeed. Returns the answers as they will
   * be repeated.
   *
   * @param records of the calls, in their order; undefined for calls without a key
   *
   * @throws Contended if another transaction has stored one of the keys since they were looked up
   */
  async remember(
    session: Session,
    records: readonly (CallRecord | undefined)[],
    answers: readonly Answer<unknown>[],
  ): Promise<Answer<unknown>[]> {
    // The statement of a refused call may have failed, and with it the transaction, which then executes no further one.
    if (answers.every((answer) => answer instanceof Fault)) return [...answers];
    const shown = answers.map((answer, index) =>
      answer instanceof Fault || !records[index] ? answer : asJson(answer),
    );
    const stored = records.flatMap((record, index) => {
      const answer = shown[index];
      if (!record || !(answer instanceof Json)) return [];
      const text = this.#cipher.encrypt(answer.text, this.#boundTo(record.workspaceId, record.key));
      return [{ ...record, text }];
    });
    try {
      await session.query(this.#sql.remember, [
        stored.map(({ workspaceId }) => workspaceId),
        stored.map(({ key }) => key),
        stored.map(({ userId }) => userId),
        stored.map(({ credential }) => credential),
        this.#operation,
        stored.map(({ inputHash }) => inputHash),
        stored.map(({ text }) => text),
      ]);
    } catch (error) {
      throw keyStoredMeanwhile(error) ?? error;
    }
    return shown;
  }

  #repeat({ workspace_id, key, operation, input_sha256, answer }: Remembered, call: Call) {
    const boundTo = this.#boundTo(workspace_id, key);
    try {
      const isSame =
        operation === this.#operation &&
        [inputText, formerInputText].some((text) =>
          this.#cipher.isInputOf({ inputHash: input_sha256, answer }, text(call), boundTo),
        );
      return isSame ? new Json(this.#cipher.decrypt(answer, boundTo), true) : keyReused;
    } catch (error) {
      // A process that has the decryption key can answer: see the cipher.
      if (error instanceof Fault) return error;
      return new Fault(
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

const isCurrent = ({ expired }: Remembered): boolean => !expired;

const byKey = (rows: readonly Remembered[]): Map<string, Remembered> =>
  new Map(rows.map((row) => [`${row.workspace_id} ${row.key}`, row]));

const keyReused = new Fault(
  'idempotency_key_reused',
  'The Idempotency-Key was already used with a different request.',
);

/** The fault of a statement that found a key stored by another transaction. Its transaction was rolled back. */
export const keyStoredMeanwhile = (error: unknown): Contended | undefined =>
  violatedUnique(error) === 'idempotency_keys_pkey'
    ? new Contended({ reason: 'an Idempotency-Key was stored meanwhile', cause: error })
    : undefined;

const asJson = (answer: Answer<unknown>): Json =>
  answer instanceof Json ? answer : new Json(JSON.stringify(answer));

/** Deletes stored responses older than a day. */
export function purgeIdempotencyKeys(database: Database, schema: string): Promise<void> {
  return deleteInPortions(database, idempotencyStatements(schema).purge, [keepHours]);
}
