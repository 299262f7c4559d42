import { connectBus, type Bus } from '@roster/bus';

import type { NatsConnection } from './nats-keys.js';

/**
 * Works with a connection to NATS as the operator.
 *
 * @throws NatsTrouble NATS is unreachable, or the credentials are rejected or those of another program
 * @throws Error NATS denies a subject to the operator
 */
export async function asOperator<T>(
  connection: NatsConnection,
  work: (bus: Bus) => Promise<T>,
): Promise<T> {
  const bus = await connectBus({ ...connection, name: 'operator', log: silence });
  let denied: string | undefined;
  bus.link.onPublishDenied((subject) => (denied = subject));
  try {
    const [outcome] = await Promise.allSettled([work(bus)]);
    if (denied !== undefined)
      throw new Error(
        `NATS denies ${denied} to this credential. Use that of the operator, with the permissions that roster nats permissions prints. Nothing was applied.`,
      );
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  } finally {
    await bus.close();
  }
}

const ignore = () => {};
// Connection errors are reported to the caller as errors.
const silence = { debug: ignore, warn: ignore, error: ignore };
