import type { Statement } from './statement.js';

/** How far the clock of this process and that of a signer may differ. */
export const differenceMsMax = 65 * 60_000;
const signersMax = 1000;
/** Clocks run at slightly different rates: days after a sighting, a process with a faster clock would otherwise refuse valid statements. */
const rateMin = 0.999;

/** A time that another clock had passed at a time of this process. */
interface Sighting {
  shownMs: number;
  seenAt: number;
}

/**
 * Judges the expiry of statements although the clocks of machines may differ by an hour. A statement was issued before it
 * arrives. The newest statement of a signer plus the time since its arrival, at the rate of the slowest clock, is therefore a time
 * that the signer's clock has certainly passed, and only the holder of the signing key can advance it. A statement is expired if
 * its expiry is before that time: a valid one never is, and an old one is accepted only by a process that has not seen a newer one
 * of the same signer yet. Even then it is refused if the clock of this process is further ahead than clocks may differ.
 *
 * A browser token is therefore judged by the clock of the database in addition. A gateway receives its time with the state of the
 * token's key, before it accepts the first token, also of a signer that no longer runs.
 */
export class SignerClocks {
  readonly #sightings = new Map<string, Sighting>();
  #database: Sighting | undefined;

  /**
   * Takes a verified statement into account.
   *
   * @param now by the clock of this process, as `steadyNow`
   */
  isExpired(statement: Statement, now: number): boolean {
    const { signer, issuedAt, expiresAt } = statement;
    let signerNow = passed(this.#sightings.get(signer), now);
    if (issuedAt > signerNow) {
      signerNow = issuedAt;
      this.#see(signer, { shownMs: issuedAt, seenAt: now });
    }
    return (
      expiresAt <= signerNow ||
      expiresAt + differenceMsMax <= now ||
      this.#isExpiredByDatabase(statement, now)
    );
  }

  /** The latest time replaces the former, even if it is earlier: the clock may have been ahead, and corrected. */
  databaseShowed(databaseMs: number, now: number): void {
    this.#database = { shownMs: databaseMs, seenAt: now };
  }

  #isExpiredByDatabase({ issuedAt, expiresAt, databaseMs }: Statement, now: number): boolean {
    return (
      databaseMs !== undefined && databaseMs + expiresAt - issuedAt <= passed(this.#database, now)
    );
  }

  #see(signer: string, sighting: Sighting): void {
    // The signer that was silent for longest is forgotten first.
    this.#sightings.delete(signer);
    this.#sightings.set(signer, sighting);
    if (this.#sightings.size > signersMax)
      this.#sightings.delete(this.#sightings.keys().next().value!);
  }
}

/** A time that the clock has certainly passed. */
const passed = (sighting: Sighting | undefined, now: number): number =>
  sighting === undefined ? -Infinity : sighting.shownMs + (now - sighting.seenAt) * rateMin;
