import type { ServerResponse } from 'node:http';

/**
 * The answers that are being made.
 *
 * An array of places, not a Set: each time V8 makes a Set's table anew, the old one keeps what it held and leads to the new
 * one, so that once one of them has grown old, the garbage of every request since lives on until a full collection.
 */
export class InWork {
  readonly #places: (ServerResponse | undefined)[] = [];
  readonly #free: number[] = [];

  /** Returns how to leave again. */
  enter(response: ServerResponse): () => void {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = response;
    return () => {
      this.#places[place] = undefined;
      this.#free.push(place);
    };
  }

  responses(): ServerResponse[] {
    return this.#places.filter((response) => response !== undefined);
  }
}
