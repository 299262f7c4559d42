import type { Bus, CallContext } from '@roster/bus';
import {
  Fault,
  operations,
  type Caller,
  type FieldError,
  type Operation,
  type OperationName,
  type Operations,
  type OutputOf,
  type Scope,
} from '@roster/contracts';
import { checkInput } from './check-input.js';
import { inspectNames } from './inspect-names.js';

/** What services are told of the request that asks: who, until when, and under which ids. */
export type RequestContext = CallContext;

/**
 * Asks operations on behalf of callers, whatever interface they use: what it refuses, and what services refuse, is a Fault
 * whose words are for the caller. Calls of one turn of the event loop travel together.
 */
export class OperationClient {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /**
   * The result as the service wrote it, for an interface that has read the input itself and required the scope before.
   *
   * @param errors what was found wrong in the input while it was read
   * @throws Fault
   */
  call(
    operation: Operation,
    input: unknown,
    errors: readonly FieldError[],
    context: RequestContext,
  ): Promise<Uint8Array> {
    const checked = checkInput(operation, input, errors);
    return this.#bus.call(operation.name as OperationName, checked as never, context);
  }

  /**
   * The result, parsed, of an operation that the caller's key allows.
   *
   * @throws Fault
   */
  async ask<Name extends OperationName>(
    name: Name,
    input: object,
    context: RequestContext,
  ): Promise<OutputOf<Operations[Name]>> {
    const operation: Operation = operations[name];
    if (!operation.scope) throw new TypeError(`${name} is internal: no caller may ask it`);
    requireScope(context.caller, operation.scope);
    const errors: FieldError[] = [];
    inspectNames(input, errors);
    return this.#bus.ask(name, checkInput(operation, input, errors) as never, context);
  }
}

/** The caller's key does not hold the scope that an operation needs. */
export class InsufficientScope extends Fault {
  readonly scope: Scope;

  constructor(scope: Scope) {
    super('insufficient_scope', `The API key does not have the scope ${scope}.`);
    this.scope = scope;
  }
}

/** @throws InsufficientScope */
export function requireScope({ scopes }: Caller, scope: Scope): void {
  if (!scopes.includes(scope)) throw new InsufficientScope(scope);
}
