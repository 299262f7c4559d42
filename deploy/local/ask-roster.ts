import { randomUUID } from 'node:crypto';

import { connectBus } from '@roster/bus';
import {
  type CallInputOf,
  invalidFields,
  operations,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  systemCaller,
} from '@roster/contracts';

const timeoutMs = 10_000;

/**
 * Asks the running system one thing over NATS, as any caller would.
 *
 * @throws Fault the input is not right, or what the service refused
 * @throws NatsTrouble NATS is not there, or lets nobody in
 */
export async function askRoster<Name extends OperationName>(
  natsUrl: string,
  name: Name,
  input: CallInputOf<Operations[Name]>,
): Promise<OutputOf<Operations[Name]>> {
  const checked = check(name, input);
  const bus = await connectBus({ servers: natsUrl, name: 'roster-cli', log: silence });
  try {
    const context = {
      caller: systemCaller,
      requestId: randomUUID(),
      deadline: Date.now() + timeoutMs,
    };
    return await bus.ask(name, checked, context);
  } finally {
    await bus.close();
  }
}

/** The bus carries what was checked: services do not check again. */
function check<Name extends OperationName>(name: Name, input: unknown): InputOf<Operations[Name]> {
  const parsed = operations[name].input.safeParse(input);
  if (parsed.success) return parsed.data as InputOf<Operations[Name]>;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: `/${path.join('/')}`,
    message,
  }));
  throw invalidFields(errors);
}

const ignore = () => {};
// What goes wrong reaches the caller as an error.
const silence = { debug: ignore, warn: ignore, error: ignore };
