import {
  Fault,
  isAudited,
  operations,
  type Operation,
  type OperationName,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { idempotencyKeyMax } from '../../operations/check-input.js';
import type { OperationClient, RequestContext } from '../../operations/operation-client.js';
import { errorOf } from '../errors.js';
import type { RequestBudget } from './request-budget.js';

/** Calls operations for the resolvers of one request. */
export class RequestOperations {
  readonly #client: OperationClient;
  readonly #context: RequestContext;
  readonly #budget: RequestBudget;
  /** Names in the response of fields whose result is the stored response of an earlier request. */
  readonly replayed: string[] = [];
  /** Audited reads in flight. A mutation may have changed what a later one returns. */
  readonly #reading = new Map<string, Promise<unknown>>();
  readonly #readOnce = new Map<OperationName, Promise<unknown>>();

  constructor(client: OperationClient, context: RequestContext, budget: RequestBudget) {
    this.#client = client;
    this.#context = context;
    this.#budget = budget;
  }

  /** @throws GraphQLError for a fault */
  async read<Name extends OperationName>(
    name: Name,
    input: object,
  ): Promise<OutputOf<Operations[Name]>> {
    return this.#read(name, input);
  }

  /** As `read`, for an operation without input: aliases of its field in one request share one call. */
  async readOnce<Name extends OperationName>(name: Name): Promise<OutputOf<Operations[Name]>> {
    const shared = this.#readOnce.get(name) ?? this.#read(name, {});
    this.#readOnce.set(name, shared);
    return shared as Promise<OutputOf<Operations[Name]>>;
  }

  /** As `read`, with null instead of `not_found`. */
  async find<Name extends OperationName>(
    name: Name,
    input: object,
  ): Promise<OutputOf<Operations[Name]> | null> {
    try {
      return await this.#read(name, input);
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
    return this.#call(
      name,
      input,
      admitAny,
      idempotencyKey ? this.#once(idempotencyKey, path.key) : {},
    );
  }

  #once(
    requestKey: string,
    field: string | number,
  ): Pick<RequestContext, 'idempotencyKey' | 'onReplayed'> {
    return {
      idempotencyKey: this.#keyOf(requestKey, field),
      onReplayed: () => void this.replayed.push(String(field)),
    };
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

  #read<Name extends OperationName>(
    name: Name,
    input: object,
  ): Promise<OutputOf<Operations[Name]>> {
    const read = () => this.#call(name, input, (bytes) => this.#budget.takeResult(bytes));
    return (operations[name] as Operation).audited
      ? this.#shared(name + JSON.stringify(input), read)
      : read();
  }

  /** Fields that read the same at the same time share one call, and its entry of the audit log. */
  #shared<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    const found = this.#reading.get(key) ?? read().finally(() => this.#reading.delete(key));
    this.#reading.set(key, found);
    return found as Promise<Result>;
  }

  async #call<Name extends OperationName>(
    name: Name,
    input: object,
    admit: (resultBytes: number) => void,
    once: Pick<RequestContext, 'idempotencyKey' | 'onReplayed'> = {},
  ): Promise<OutputOf<Operations[Name]>> {
    const { caller, requestId, traceparent, tracestate, deadline, address } = this.#context;
    const { isAbandoned, onCharged, onSecret } = this.#context;
    const operation: Operation = operations[name];
    const { bulk, containsSecret } = operation;
    if (containsSecret) onSecret?.();
    const context = {
      caller,
      requestId,
      deadline,
      ...(traceparent !== undefined && { traceparent, tracestate }),
      ...(isAbandoned && { isAbandoned }),
      ...once,
      ...(bulk && onCharged && { onCharged }),
      ...(address !== undefined && isAudited(operation, input) && { address }),
    };
    try {
      return await this.#client.call(name, input, context, admit);
    } catch (error) {
      throw error instanceof Fault ? errorOf(error, requestId) : error;
    }
  }
}

/** The result of a write is one object, and the change was made. */
const admitAny = (): void => {};
