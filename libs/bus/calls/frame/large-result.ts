/**
 * A result that is too large to be sent with others of its batch. It is read and sent in chunks, for one call at a time, when
 * the caller has memory for it.
 */
export class LargeResult {
  /**
   * @param bytes approximate size
   * @param read yields the JSON text in chunks; may throw a Fault
   */
  constructor(
    readonly bytes: number,
    readonly read: () => AsyncIterable<string>,
  ) {}
}
