import { Fault } from '@roster/contracts';
import { Shares } from '../shares.js';

/** What a request with a body in transit takes besides: connection, parser, headers. */
const overheadBytes = 16 * 1024;

/**
 * Bounds the memory of bodies that arrive after their headers: clients may send them slowly, or never. The announced length is
 * reserved, or the maximum where none is announced.
 */
export class BodyBudget {
  readonly #reserved: Shares;
  #count = 0;

  /** @param shareBytesMax maximum of one owner: a workspace, or the network of clients that need no key */
  constructor(bytesMax: number, shareBytesMax: number) {
    this.#reserved = new Shares(bytesMax, shareBytesMax);
  }

  /** Number of bodies in transit. */
  get count(): number {
    return this.#count;
  }

  /**
   * Returns the function that ends the reservation.
   *
   * @throws Fault `unavailable` if all bodies together, or those of the owner, would exceed their maximum
   */
  reserve(owner: string, bodyBytes: number): () => void {
    const bytes = bodyBytes + overheadBytes;
    if (!this.#reserved.tryTake(owner, bytes)) {
      throw new Fault('unavailable', 'Too many request bodies are in transit. Try again later.', {
        retryAfterSeconds: 1,
      });
    }
    this.#count += 1;
    return () => {
      this.#count -= 1;
      this.#reserved.give(owner, bytes);
    };
  }
}
