import type { Statement } from './statement.js';

/** How far the clock of this process and that of a signer may differ. */
export const differenceMsMax = 65 * 60_000;
const signersMax = 1000;
/** Clocks run at slightly different rates: days after a sighting, a faster one would otherwise call valid statements expired. */
const rateMin = 0.999;

/** What the clock of a signer showed at least, at some time of this process. */
interface Sighting {
  signerMs: number;
  seenAt: number;
}

/**
 * Judges the expiry of statements although the clocks of machines may differ by an hour. A statement was issued before it
 * arrives. The newest statement of a signer plus the time since its arrival, at the rate of the slowest clock, is therefore a time
 * that the signer's clock has certainly passed, and only the holder of the signing key can advance it. A statement whose expiry that clock has passed is
 * expired: a valid one never is, and an old one is accepted only by a process that has not seen a newer one of the same signer
 * yet. Even then it is refused if the clock of this process is further ahead than clocks may differ.
 */
export class SignerClocks {
  readonly #sightings = new Map<string, Sighting>();

  /**
   * Takes a verified statement into account.
   *
   * @param now by the clock of this process, as `steadyNow`
   */
  isExpired({ signer, issuedAt, expiresAt }: Statement, now: number): boolean {
    const known = this.#sightings.get(signer);
    let signerNow =
      known === undefined ? -Infinity : known.signerMs + (now - known.seenAt) * rateMin;
    if (issuedAt > signerNow) {
      signerNow = issuedAt;
      this.#see(signer, { signerMs: issuedAt, seenAt: now });
    }
    return expiresAt <= signerNow || expiresAt + differenceMsMax <= now;
  }

  #see(signer: string, sighting: Sighting): void {
    // The signer that was silent for longest is forgotten first.
    this.#sightings.delete(signer);
    this.#sightings.set(signer, sighting);
    if (this.#sightings.size > signersMax)
      this.#sightings.delete(this.#sightings.keys().next().value!);
  }
}
