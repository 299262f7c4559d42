import { GraphQLError, type ExecutionResult } from 'graphql';
import { documentLimits, resultBytesMax } from '../document/limits.js';
import { refused } from '../errors.js';
import { jsonBytes } from './json-bytes.js';

/** Results below this size, such as one page of contacts, take less than two milliseconds. */
const largeBytesMin = 32 * 1024;

/** Limits the operations of one request together. Otherwise, a batch would multiply the limits of an operation. */
export class RequestBudget {
  #cost = 0;
  #resultBytes = 0;
  #responseBytes = 0;

  /** @throws GraphQLError `query_too_costly` if the operations of a batch cost more than a single one may */
  takeCost(cost: number): void {
    this.#cost += cost;
    const { cost: limit } = documentLimits;
    if (this.#cost <= limit) return;
    const total = this.#cost.toLocaleString('en-US');
    throw refused(
      'query_too_costly',
      `The operations of the batch cost ${total} so far; the limit is ${limit.toLocaleString('en-US')}.`,
      { cost: this.#cost, limit },
    );
  }

  /**
   * Called before a result is parsed, which blocks the event loop.
   *
   * @throws GraphQLError `result_too_large`
   */
  takeResult(bytes: number): void {
    this.#resultBytes += bytes;
    if (this.#resultBytes > resultBytesMax) throw tooLarge('Request fewer or shorter lists.');
  }

  /** Whether the results and the response take several turns of the event loop. */
  get isLarge(): boolean {
    return this.#resultBytes >= largeBytesMin;
  }

  /** Checks whether a result may be serialized. Aliases can contain the same object many times. */
  admits({ data }: Pick<ExecutionResult, 'data'>): boolean {
    this.#responseBytes += jsonBytes(data, resultBytesMax);
    return this.#responseBytes <= resultBytesMax;
  }
}

/** The error of a field, or of an operation that was executed, whose result is too large. */
export const tooLarge = (advice: string): GraphQLError =>
  new GraphQLError(`The result is larger than ${resultBytesMax / 1024 / 1024} MiB. ${advice}`, {
    extensions: { code: 'result_too_large' },
  });
