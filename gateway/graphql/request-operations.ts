import { Fault, type OperationName, type Operations, type OutputOf } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { idempotencyKeyMax } from '../operations/idempotency-key.js';
import type { OperationClient, RequestContext } from '../operations/operation-client.js';
import { errorOf } from './errors.js';

/** Calls operations for the resolvers of one request. */
export class RequestOperations {
  readonly #client: OperationClient;
  readonly #context: RequestContext;

  constructor(client: OperationClient, context: RequestContext) {
    this.#client = client;
    this.#context = context;
  }

  /** @throws GraphQLError for a fault */
  async read<Name extends OperationName>(
    name: Name,
    input: object,
  ): Promise<OutputOf<Operations[Name]>> {
    return this.#call(name, input);
  }

  /** As `read`, with null instead of `not_found`. */
  async find<Name extends OperationName>(
    name: Name,
    input: object,
  ): Promise<OutputOf<Operations[Name]> | null> {
    try {
      return await this.#call(name, input);
    } catch (error) {
      if ((error as { extensions?: { code?: unknown } }).extensions?.code === 'not_found')
        return null;
      throw error;
    }
  }

  /**
   * As `read`, for a field of a mutation.
   *
   * @param info of the field, whose Idempotency-Key is composed of that of the request and the field's response name
   */
  async write<Name extends OperationName>(
    name: Name,
    input: object,
    { path }: GraphQLResolveInfo,
  ): Promise<OutputOf<Operations[Name]>> {
    const { idempotencyKey } = this.#context;
    return this.#call(name, input, idempotencyKey && this.#keyOf(idempotencyKey, path.key));
  }

  #keyOf(requestKey: string, field: string | number): string {
    const key = `${requestKey}/${field}`;
    if (key.length <= idempotencyKeyMax) return key;
    const fault = new Fault(
      'invalid',
      `The Idempotency-Key header and the field's name in the response must be at most ${idempotencyKeyMax} characters together, with a slash between them.`,
    );
    throw errorOf(fault, this.#context.requestId);
  }

  async #call<Name extends OperationName>(
    name: Name,
    input: object,
    idempotencyKey?: string,
  ): Promise<OutputOf<Operations[Name]>> {
    const { caller, requestId, traceparent, deadline } = this.#context;
    try {
      return await this.#client.call(name, input, {
        caller,
        requestId,
        deadline,
        ...(traceparent !== undefined && { traceparent }),
        ...(idempotencyKey && { idempotencyKey }),
      });
    } catch (error) {
      throw error instanceof Fault ? errorOf(error, requestId) : error;
    }
  }
}
