import type { Bus } from '@roster/bus';
import {
  Fault,
  operations,
  type Caller,
  type FieldError,
  type HttpBinding,
  type Operation,
  type OperationName,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import type { Authenticator } from '../http/authenticate.js';
import { checkInput } from '../rest/check-input.js';
import { missingResource } from '../rest/missing-resource.js';
import { inspectNames } from '../rest/parse-json-object.js';
import { fieldsOf, type RestOperation } from '../rest/rest-operations.js';
import { errorOf } from './errors.js';

/** Who asks, and on behalf of which request. */
export interface Asking {
  caller: Caller;
  requestId: string;
  traceparent: string;
  /** When the answer is worth nothing any more, in milliseconds since the epoch. */
  deadline: number;
  idempotencyKey?: string | undefined;
}

/** Operations that REST does not show, and the one whose scope and words hold for them. */
const standsFor: Partial<Record<OperationName, OperationName>> = {
  'contacts.page': 'contacts.list',
  'contact-properties.get': 'contact-properties.list',
};

/**
 * Asks operations for resolvers: scope, input and faults as in REST. Calls of one turn of the event loop travel together,
 * whatever fields, operations and clients they come from.
 */
export class Ask {
  readonly #bus: Bus;
  readonly #authenticator: Authenticator;
  readonly #asking: Asking;

  constructor(bus: Bus, authenticator: Authenticator, asking: Asking) {
    this.#bus = bus;
    this.#authenticator = authenticator;
    this.#asking = asking;
  }

  /** @throws GraphQLError of the fault that refused it */
  async read<Name extends OperationName>(
    name: Name,
    input: unknown,
  ): Promise<OutputOf<Operations[Name]>> {
    return this.#ask(name, input);
  }

  /** As `read`, with null for a resource that is not there. */
  async find<Name extends OperationName>(
    name: Name,
    input: unknown,
  ): Promise<OutputOf<Operations[Name]> | null> {
    try {
      return await this.#ask(name, input);
    } catch (error) {
      if ((error as { extensions?: { code?: unknown } }).extensions?.code === 'not_found')
        return null;
      throw error;
    }
  }

  /**
   * As `read`, for a field of a mutation.
   *
   * @param info the field: each has an Idempotency-Key of its own, made of the request's and the name in the response
   */
  async write<Name extends OperationName>(
    name: Name,
    input: unknown,
    { path }: GraphQLResolveInfo,
  ): Promise<OutputOf<Operations[Name]>> {
    const { idempotencyKey } = this.#asking;
    return this.#ask(name, input, idempotencyKey && `${idempotencyKey}/${path.key}`);
  }

  async #ask<Name extends OperationName>(
    name: Name,
    input: unknown,
    idempotencyKey?: string,
  ): Promise<OutputOf<Operations[Name]>> {
    const { caller, requestId, traceparent, deadline } = this.#asking;
    const binding = (operations[standsFor[name] ?? name] as Operation).http!;
    try {
      this.#authenticator.requireScope(caller, binding.scope);
      const parsed = parse(operations[name], binding, input);
      return await this.#bus.ask(name, parsed as never, {
        caller,
        requestId,
        traceparent,
        deadline,
        ...(idempotencyKey && { idempotencyKey }),
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw errorOf(error.code === 'not_found' ? missingResource(binding) : error, requestId);
    }
  }
}

function parse(operation: Operation, binding: HttpBinding, input: unknown): unknown {
  const errors: FieldError[] = [];
  inspectNames(input as object, errors);
  const ids = operation.http ? fieldsOf(operation as RestOperation).path : ['propertyId'];
  const parsed = checkInput(operation.input, ids, input, errors);
  if (parsed === undefined) throw missingResource(binding);
  return parsed;
}
