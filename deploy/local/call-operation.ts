import { randomUUID } from 'node:crypto';

import { connectBus, steadyNow } from '@roster/bus';
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

import type { NatsConnection } from './nats-keys.js';
import { silence } from './silence.js';

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
  const bus = await connectBus({ ...connection, name: 'operator', log: silence });
  let isDenied = false;
  bus.link.onPublishDenied(() => (isDenied = true));
  try {
    const context = {
      caller: systemCaller,
      requestId: randomUUID(),
      deadline: steadyNow() + timeoutMs,
    };
    return await bus.call(name, checked, context);
  } catch (error) {
    if (!isDenied) throw error;
    throw new Error(
      `NATS denies ${name} to this credential. Use that of the operator, with the permissions that roster nats permissions prints. Nothing was applied.`,
      { cause: error },
    );
  } finally {
    await bus.close();
  }
}

/** As in the gateway: defaults are added, and invalid input is reported without a connection. */
function check<Name extends OperationName>(name: Name, input: unknown): InputOf<Operations[Name]> {
  const parsed = operations[name].input.safeParse(input);
  if (parsed.success) return parsed.data as InputOf<Operations[Name]>;
  throw invalidFields(fieldErrors(parsed.error.issues));
}
