import { randomUUID } from 'node:crypto';
import { connect as connectSocket } from 'node:net';

import { connectBus } from '@roster/bus';
import {
  type CallInputOf,
  Fault,
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
 * @throws NotRunning nobody listens at the address
 */
export async function askRoster<Name extends OperationName>(
  natsUrl: string,
  name: Name,
  input: CallInputOf<Operations[Name]>,
): Promise<OutputOf<Operations[Name]>> {
  const checked = check(name, input);
  // The bus waits for NATS to come up; a person asking wants to know that it is not there.
  await mustListen(natsUrl);
  const bus = await connectBus({
    servers: natsUrl,
    name: 'roster-cli',
    log: silence,
  });
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
  throw new Fault('invalid', 'Some values are not right.', { errors });
}

const ignore = () => {};
// What goes wrong reaches the caller as an error.
const silence = { debug: ignore, warn: ignore, error: ignore };

/** Nobody listens where the system should be. */
export class NotRunning extends Error {
  override name = 'NotRunning';
}

async function mustListen(natsUrl: string): Promise<void> {
  const urls = natsUrl.split(',').map((url) => new URL(url.trim()));
  const answers = await Promise.all(
    urls.map((url) => listens(url.hostname, Number(url.port || 4222))),
  );
  if (!answers.includes(true))
    throw new NotRunning(`Nothing listens at ${urls.map((url) => url.host).join(', ')}.`);
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host, port, timeout: timeoutMs });
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}
