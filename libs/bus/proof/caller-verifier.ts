import { steadyNow } from '../wire.js';
import { SignerClocks } from './signer-clocks.js';
import { openStatement, type NamedKey, type Statement } from './statement.js';
import type { Caller } from '@roster/contracts';

const verifiedMax = 10_000;

/** Verifies each statement once, and remembers it until it expires. */
export class CallerVerifier {
  readonly #keys: readonly NamedKey[];
  readonly #clocks = new SignerClocks();
  /** By the text of the statement, the oldest first. */
  readonly #verified = new Map<string, Statement>();

  /** @param keys public keys of the users service; several while they are rotated */
  constructor(keys: readonly NamedKey[]) {
    this.#keys = keys;
  }

  /** The caller that the statement names, or undefined if the statement is forged or expired. Always the same object for a text. */
  callerOf(text: string): Caller | undefined {
    return this.#unexpired(text, this.#verified.get(text) ?? this.#verify(text));
  }

  /** As `callerOf`, but only for a statement that was verified before: no signature is verified. */
  rememberedCallerOf(text: string): Caller | undefined {
    return this.#unexpired(text, this.#verified.get(text));
  }

  #unexpired(text: string, statement: Statement | undefined): Caller | undefined {
    if (!statement) return undefined;
    if (!this.#clocks.isExpired(statement, steadyNow())) return statement.caller;
    this.#verified.delete(text);
    return undefined;
  }

  /** Takes into account what the clock of the database showed just before, in milliseconds since the epoch. */
  databaseShowed(databaseMs: number): void {
    this.#clocks.databaseShowed(databaseMs, steadyNow());
  }

  #verify(text: string): Statement | undefined {
    const statement = openStatement(text, this.#keys);
    if (!statement) return undefined;
    this.#verified.set(text, statement);
    if (this.#verified.size > verifiedMax)
      this.#verified.delete(this.#verified.keys().next().value!);
    return statement;
  }
}
