import { randomUUID } from 'node:crypto';
import { steadyNow, type Bus, type NamedKey } from '@roster/bus';
import { systemCaller } from '@roster/contracts';
import { mismatchOf } from './named-keys.js';
import type { ReadinessCheck } from './admin-server.js';
import type { Log } from './log.js';
import { NotYet } from './wait-for.js';

type Mismatch = NonNullable<ReturnType<typeof mismatchOf>>;

/** Parts of `ProcessContext`, which cannot be imported here: what runs a process imports this. */
interface SignerContext {
  bus: Pick<Bus, 'call'>;
  config: { CALLER_PUBLIC_KEYS?: readonly NamedKey[] | undefined };
  log: Pick<Log, 'warn'>;
  requires: (name: string, check: ReadinessCheck) => void;
  waitFor: <T>(attempt: () => Promise<T>) => Promise<T>;
  onShutdown: (step: () => unknown) => void;
}

const timeoutMs = 2000;
const everyMs = 5000;

/**
 * Compares CALLER_PUBLIC_KEYS with the key that the users service signs with. A process that would refuse its callers waits before
 * it serves anything. While the users service is unavailable, nothing is known, and the process does not wait.
 *
 * The key may change later, so it is compared again. Other bytes under a listed ID are an error of this process, which is then not
 * ready. An unlisted ID is only logged: keys were rotated in the wrong order, and all gateways would become not ready together.
 */
export async function watchSigner({
  bus,
  config,
  log,
  requires,
  waitFor,
  onShutdown,
}: SignerContext): Promise<void> {
  const listed = config.CALLER_PUBLIC_KEYS;
  if (!listed) return;
  await waitFor(async () => {
    const found = await compare(bus, listed);
    if (found) throw new NotYet(reasonOf(found), { passing: false });
  });
  let mismatch: Mismatch | undefined;
  requires('caller-keys', () => mismatch?.kind !== 'foreign');
  const timer = setInterval(() => {
    void compare(bus, listed, mismatch).then((found) => {
      if (found && found.kind !== mismatch?.kind) log.warn(reasonOf(found));
      mismatch = found;
    });
  }, everyMs);
  onShutdown(() => clearInterval(timer));
}

/** The former mismatch if the users service does not answer. */
async function compare(
  bus: SignerContext['bus'],
  listed: readonly NamedKey[],
  former?: Mismatch,
): Promise<Mismatch | undefined> {
  try {
    const { publicKey } = await bus.call(
      'caller-keys.get',
      {},
      {
        caller: systemCaller,
        requestId: randomUUID(),
        deadline: steadyNow() + timeoutMs,
        triesOnce: true,
      },
    );
    return mismatchOf(publicKey, listed);
  } catch {
    return former;
  }
}

function reasonOf({ kind, id }: Mismatch): string {
  if (kind === 'unsigned')
    return 'CALLER_PUBLIC_KEYS is set, but the users service has no CALLER_SIGNING_KEY: set it there, and restart the users service.';
  const found =
    kind === 'foreign'
      ? `has another key with the id ${id} than the users service signs with: correct it`
      : `lacks the key ${id}, which the users service signs with: append it`;
  return `CALLER_PUBLIC_KEYS ${found}, and restart. A new key needs a new id.`;
}
