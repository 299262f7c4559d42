/** The destination of an answer, such as a `ServerResponse`. */
export interface AnswerReader {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** How a caller treats a large result. */
export interface LargeHandling {
  /** The result is in memory until this closes. Without it, only until the call is answered. */
  reader?: AnswerReader | undefined;
  /** How many times the result is in memory, for example if it is parsed. */
  copies?: number;
  /** Called when the call starts to wait for memory, possibly until its deadline. */
  onWait?: (() => void) | undefined;
}

/** For callers that read every result at once. */
export const withoutReader: LargeHandling = {};
