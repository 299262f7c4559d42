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
import { WorkTurns } from './work-turns.js';

/** The fields of a call in addition to its input: the caller, the deadline and the IDs of the request. */
export type RequestContext = CallContext;

/**
 * Calls operations on behalf of the callers of every interface. Refusals of the gateway and of services are Faults with a
 * message for the caller. Calls of the same turn of the event loop share batches.
 */
export class OperationClient {
  /** Of everything that is done with results. */
  readonly turns = new WorkTurns();
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /**
   * The result as the bytes that the service wrote. The interface may have checked the scope earlier, before it read the input.
   *
   * @param errors found while the input was read
   * @throws Fault
   */
  callRaw(
    operation: Operation,
    input: unknown,
    errors: readonly FieldError[],
    context: RequestContext,
  ): Promise<Uint8Array> {
    requirePermission(operation, context.caller);
    const checked = checkInput(operation, input, errors);
    return this.#bus.callRaw(operation.name as OperationName, checked as never, context);
  }

  /**
   * The result, parsed.
   *
   * @param admit called with the size of the result before it is parsed; it may throw or wait
   *
   * @throws Fault
   */
  async call<Name extends OperationName>(
    name: Name,
    input: object,
    context: RequestContext,
    admit: (bytes: number) => void | Promise<void>,
  ): Promise<OutputOf<Operations[Name]>> {
    const errors: FieldError[] = [];
    const operation: Operation = operations[name];
    requirePermission(operation, context.caller);
    inspectNames(input, errors);
    const checked = checkInput(operation, input, errors);
    const bytes = await this.#bus.callRaw(name, checked as never, context);
    await admit(bytes.byteLength);
    return JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
    ) as OutputOf<Operations[Name]>;
  }
}

/** @throws InsufficientScope; TypeError for an operation that only processes of this system may call */
function requirePermission({ name, scope }: Operation, caller: Caller): void {
  if (!scope) throw new TypeError(`${name} is internal and cannot be called by API keys`);
  requireScope(caller, scope);
}

/** The API key does not hold the scope that the operation requires. */
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
