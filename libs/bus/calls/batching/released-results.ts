/** A collection of the young generation takes a millisecond. */
const collectBytes = 8 * 1024 * 1024;

/**
 * Large results that were read. Their bytes are outside V8's heap, which counts little for them: by itself, V8 collects them when
 * they have grown by 64 MiB. `deploy/node-flags` exposes `gc`.
 */
export class ReleasedResults {
  readonly #collect: () => void;
  #bytes = 0;

  constructor(collect: () => void = () => globalThis.gc?.({ type: 'minor' })) {
    this.#collect = collect;
  }

  /** Bytes that were released since the last collection. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Called when nothing refers to the result any more. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < collectBytes) return;
    this.#bytes = 0;
    this.#collect();
  }
}
