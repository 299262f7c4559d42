import type { Bus, CallContext } from '@roster/bus';
import {
  operations,
  requirePermission,
  type FieldError,
  type Operation,
  type OperationName,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { checkInput, inspectNames } from './check-input.js';
import type { RateLimiter, RateState } from './rates/rate-limiter.js';
import { WorkTurns } from './work-turns.js';

/** The fields of a call in addition to its input: the caller, the deadline and the IDs of the request. */
export interface RequestContext extends CallContext {
  /** Called with the limits of the caller if the call counts as several requests. */
  onCharged?(states: readonly RateState[]): void;
  /** Called before a call whose result contains a secret. */
  onSecret?(): void;
}

/**
 * Calls operations on behalf of the callers of every interface. Refusals of the gateway and of services are Faults with a
 * message for the caller. Calls of the same turn of the event loop share batches.
 */
export class OperationClient {
  /** For the files of exports and imports. */
  readonly turns = new WorkTurns();
  readonly #bus: Bus;
  readonly #rates: Pick<RateLimiter, 'charge'>;

  /** @param rates have counted the request as one */
  constructor(bus: Bus, rates: Pick<RateLimiter, 'charge'>) {
    this.#bus = bus;
    this.#rates = rates;
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
    requirePermission(context.caller, operation);
    this.turns.requested(context.caller.workspaceId);
    const checked = checkInput(operation, input, errors);
    if (operation.bulk) {
      const further = operation.bulk.requestsOf(checked) - 1;
      context.onCharged?.(this.#rates.charge(context.caller, further));
    }
    return this.#bus.callRaw(servedBy(operation, checked), checked as never, context);
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
    inspectNames(input, errors);
    const bytes = await this.callRaw(operation, input, errors, context);
    await admit(bytes.byteLength);
    return JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
    ) as OutputOf<Operations[Name]>;
  }
}

/** The operation that a call is sent to. */
function servedBy({ name, narrowed }: Operation, input: unknown): OperationName {
  const isNarrowed = narrowed?.by.some(
    (field) => (input as Record<string, unknown>)[field] !== undefined,
  );
  return (isNarrowed ? narrowed!.operation : name) as OperationName;
}
