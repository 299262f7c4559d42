import { steadyNow, type Bus } from '@roster/bus';
import {
  adminKeyShape,
  type FieldError,
  hasValidChecksum,
  systemCaller,
  type Operation,
  type OperationName,
} from '@roster/contracts';
import { hash } from 'node:crypto';
import { checkInput } from './check-input.js';
import { InvalidKey, type RequestOrigin } from './key-verification.js';

/** Calls the operations of admin keys. A key stays in this process: the users service gets its SHA-256 with each call. */
export class AdminClient {
  readonly #bus: Bus;
  readonly #timeoutMs: number;

  constructor(bus: Bus, timeoutMs: number) {
    this.#bus = bus;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Verifies a key. Undefined if workspaces are not administered over HTTP.
   *
   * @returns what identifies the key in calls
   * @throws InvalidKey; faults of the bus
   */
  async verify(key: string, origin: RequestOrigin): Promise<string | undefined> {
    const adminKey = hash('sha256', key, 'hex');
    const context = this.#context(origin);
    const { state } = await this.#bus.call('admin-keys.verify', { adminKey }, context);
    if (state === 'off') return undefined;
    if (state === 'valid' && adminKeyShape.test(key) && hasValidChecksum(key)) return adminKey;
    throw new InvalidKey('The admin key is missing, malformed or unknown.');
  }

  /** @throws Fault `invalid` for the input; faults of the operation and of the bus */
  callRaw(
    operation: Operation,
    input: Record<string, unknown>,
    errors: readonly FieldError[],
    origin: RequestOrigin,
  ): Promise<Uint8Array> {
    const checked = checkInput(operation, input, errors);
    const context = this.#context(origin);
    return this.#bus.callRaw(operation.name as OperationName, checked as never, context);
  }

  #context({ requestId, traceparent, tracestate, address }: RequestOrigin) {
    const deadline = steadyNow() + this.#timeoutMs;
    const from = address === '' ? {} : { address };
    return { caller: systemCaller, requestId, traceparent, tracestate, deadline, ...from };
  }
}
