/** Beyond the expected size, because it is approximate. */
const slackBytes = 64 * 1024;
/** Of the first buffer: services state the size, and one that is wrong by orders of magnitude must not take memory. */
const firstBytesMax = 16 * 1024 * 1024;

/**
 * The parts of an answer until it is complete. Those of a large answer are copied into one buffer as they arrive: kept, they
 * would be joined in a copy of the same size at the end, and, once in V8's old generation, stay in memory until its next collection.
 */
export class AnswerParts {
  readonly #expectedBytes: number | undefined;
  #parts: Uint8Array[] = [];
  #joined: Buffer | undefined;
  #length = 0;

  /** @param expectedBytes of a large answer */
  constructor(expectedBytes?: number) {
    this.#expectedBytes = expectedBytes;
  }

  /** Bytes in memory. */
  get heldBytes(): number {
    return this.#parts.reduce((sum, { length }) => sum + length, this.#joined?.length ?? 0);
  }

  add(part: Uint8Array): void {
    if (this.#expectedBytes === undefined) this.#parts.push(part);
    else this.#join(part, this.#expectedBytes);
  }

  /** The whole answer, which is released here. */
  take(): Uint8Array {
    const parts = this.#joined ? [this.#joined.subarray(0, this.#length)] : this.#parts;
    this.#parts = [];
    this.#joined = undefined;
    this.#length = 0;
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  #join(part: Uint8Array, expectedBytes: number): void {
    const length = this.#length + part.length;
    this.#joined ??= Buffer.allocUnsafeSlow(
      Math.max(part.length, Math.min(expectedBytes, firstBytesMax) + slackBytes),
    );
    if (length > this.#joined.length) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(length * 1.25));
      this.#joined.copy(larger, 0, 0, this.#length);
      this.#joined = larger;
    }
    this.#joined.set(part, this.#length);
    this.#length = length;
  }
}
