import { GraphQLError, type DocumentNode, type ExecutionResult } from 'graphql';
import type { Variables } from '../document/field-cost.js';
import { documentLimits, resultBytesMax, variableLimits } from '../document/limits.js';
import { refused } from '../errors.js';

/** Limits the operations of one request together. Otherwise, a batch would multiply the limits of an operation. */
export class RequestBudget {
  #documents = { length: 0, tokens: 0 };
  #variables = { bytes: 0, values: 0 };
  #cost = 0;
  #resultBytes = 0;
  #responseBytes = 0;

  /**
   * Called before a document and its variables are checked, which takes time in proportion to their sizes.
   *
   * @throws GraphQLError `query_too_long`, `variables_too_large`
   */
  takeRequest({ loc, tokenCount = 0 }: DocumentNode, variables: Variables | undefined): void {
    this.#documents.length += loc?.end ?? 0;
    this.#documents.tokens += tokenCount;
    const { length, tokens } = documentLimits;
    if (this.#documents.length > length || this.#documents.tokens > tokens)
      throw refused('query_too_long', 'The documents of the batch are too long together.');
    // Each error counts the lines before it.
    if ((loc?.endToken.line ?? 0) > tokens)
      throw refused('query_too_long', `The document has more than ${tokens} lines.`);
    if (!variables) return;
    this.#variables.values += countValues(variables, variableLimits.depth);
    if (this.#variables.values <= variableLimits.values)
      this.#variables.bytes += Buffer.byteLength(JSON.stringify(variables));
    const { bytes, values } = variableLimits;
    if (this.#variables.values > values || this.#variables.bytes > bytes)
      throw variablesTooLarge(
        `The variables are larger than ${bytes / 1024} KiB or contain more than ${values} values.`,
      );
  }

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

  /** Checks whether a result may be serialized. Aliases can contain the same object many times. */
  admits({ data }: Pick<ExecutionResult, 'data'>): boolean {
    this.#responseBytes += jsonBytes(data, resultBytesMax);
    return this.#responseBytes <= resultBytesMax;
  }
}

/** Number of JSON values in a value. Does not count further than necessary. */
function countValues(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (levels === 0)
    throw variablesTooLarge(
      `The variables are nested more than ${variableLimits.depth} levels deep.`,
    );
  let count = 1;
  for (const one of Object.values(value)) {
    count += countValues(one, levels - 1);
    if (count > variableLimits.values) break;
  }
  return count;
}

/**
 * Size of a value as JSON, without escapes. Takes time proportional to the number of distinct objects, however often the value
 * contains them.
 *
 * @param max counting stops there: a larger size is not exact
 */
function jsonBytes(value: unknown, max: number): number {
  const sizes = new Map<object, number>();
  const sizeOf = (one: unknown): number => {
    if (typeof one === 'string') return Buffer.byteLength(one) + 2;
    if (typeof one !== 'object' || one === null) return String(one).length;
    const known = sizes.get(one);
    if (known !== undefined) return known;
    let bytes = 2;
    if (Array.isArray(one)) {
      for (const entry of one) if (bytes <= max) bytes += sizeOf(entry) + 1;
    } else {
      for (const name in one) {
        if (bytes > max) break;
        bytes += Buffer.byteLength(name) + 4 + sizeOf((one as Record<string, unknown>)[name]);
      }
    }
    sizes.set(one, bytes);
    return bytes;
  };
  return sizeOf(value);
}

const variablesTooLarge = (message: string) => refused('variables_too_large', message);

/** The error of a field, or of an operation that was executed, whose result is too large. */
export const tooLarge = (advice: string): GraphQLError =>
  new GraphQLError(`The result is larger than ${resultBytesMax / 1024 / 1024} MiB. ${advice}`, {
    extensions: { code: 'result_too_large' },
  });
