import { Fault } from '@roster/contracts';
import { Shares } from '../shares.js';

/** Memory for bodies in transit, of all workspaces together. */
const bytesMax = 64 * 1024 * 1024;
/** Maximum share of one workspace. */
const workspaceBytesMax = bytesMax / 2;
/** What a request with a body in transit takes besides: connection, parser, headers. */
const overheadBytes = 16 * 1024;

/**
 * Bounds the memory of bodies that arrive after their headers: clients may send them slowly, or never. The announced length is
 * reserved, or the maximum where none is announced.
 */
export class BodyBudget {
  readonly #reserved = new Shares(bytesMax, workspaceBytesMax);
  #count = 0;

  /** Number of bodies in transit. */
  get count(): number {
    return this.#count;
  }

  /**
   * Returns the function that ends the reservation.
   *
   * @throws Fault `unavailable` if all bodies together, or those of the workspace, would exceed their maximum
   */
  reserve(workspaceId: string, bodyBytes: number): () => void {
    const bytes = bodyBytes + overheadBytes;
    if (!this.#reserved.tryTake(workspaceId, bytes)) {
      throw new Fault('unavailable', 'Too many request bodies are in transit. Try again later.', {
        retryAfterSeconds: 1,
      });
    }
    this.#count += 1;
    return () => {
      this.#count -= 1;
      this.#reserved.give(workspaceId, bytes);
    };
  }
}
