import { randomUUID } from 'node:crypto';

import { steadyNow } from '@roster/bus';
import {
  type CallInputOf,
  fieldErrors,
  invalidFields,
  operations,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  systemCaller,
} from '@roster/contracts';

import { asOperator } from './as-operator.js';
import type { NatsConnection } from './nats-keys.js';

const timeoutMs = 10_000;

/**
 * Calls an operation of the running system over NATS.
 *
 * @throws Fault the input is invalid, or the service refused the call
 * @throws NatsTrouble NATS is unreachable, or the credentials are rejected or those of another program
 * @throws Error NATS denies the operation to the operator
 */
export async function callOperation<Name extends OperationName>(
  connection: NatsConnection,
  name: Name,
  input: CallInputOf<Operations[Name]>,
): Promise<OutputOf<Operations[Name]>> {
  const checked = check(name, input);
  return asOperator(connection, (bus) =>
    bus.call(name, checked, {
      caller: systemCaller,
      requestId: randomUUID(),
      deadline: steadyNow() + timeoutMs,
    }),
  );
}

/** As in the gateway: defaults are added, and invalid input is reported without a connection. */
function check<Name extends OperationName>(name: Name, input: unknown): InputOf<Operations[Name]> {
  const parsed = operations[name].input.safeParse(input);
  if (parsed.success) return parsed.data as InputOf<Operations[Name]>;
  throw invalidFields(fieldErrors(parsed.error.issues));
}
