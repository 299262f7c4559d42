import type { Bus } from '@roster/bus';
import { shortOrLong } from '@roster/testing';
import fc from 'fast-check';
import test, { type ExecutionContext } from 'ava';
import { partNames, processesOf } from '../processes.js';
import { startReceiver, type Receiver } from '../receiver.js';
import { patience, startRoster, type RunningRoster } from '../running-roster.js';
import type { Model, Real } from './command.js';
import { commands } from './commands.js';
import { connectOperator, WorkspaceClient } from './workspace-client.js';
import { WorkspaceModel } from './workspace-model.js';

/**
 * Compares the answers of the running system with a model in memory, for random commands in several workspaces at once.
 * Invariants:
 *
 * - Concurrent requests of one workspace are answered as if they had been applied one after another, in some order.
 * - Requests of other workspaces have no effect.
 * - A contact is returned by every read and list as it was last written, until it is deleted. Its email is taken as long as it
 *   exists and has that email, ignoring case, and no longer. A conflict names the contact that has the email.
 * - Contacts are listed in the order of their creation. A cursor, also that of a deleted contact, skips and repeats none.
 *   `total` is the number of contacts.
 * - A property of a contact is defined from its first use until its definition is deleted. Its values are of its type, whoever writes
 *   them. Another type converts all of them, or is refused, and a dry run says which. Contacts are found by what their values are.
 * - A write repeated with the same Idempotency-Key and API key gets the first answer and changes nothing. With a different input it
 *   is rejected. An answer with a token that its webhook no longer has is not shown again. A refused write does not use up its key.
 * - The token of a webhook is shown as given or generated, and never in a list.
 * - The secret of a key is shown once. It is accepted with the scopes of the key until the key is revoked, or rotated without an
 *   overlap, and never afterwards.
 * - A browser token allows what its key and its own limits allow, until the key is revoked, and never afterwards.
 * - Killed processes change none of that: a write that is repeated with its key after 503, 504 or a lost connection is applied
 *   once.
 *
 * ROSTER_COMMANDS=100000 sends more requests. ROSTER_SEED repeats a failure.
 */
const requestsMin = Number(process.env['ROSTER_COMMANDS'] ?? shortOrLong(300, 2_500));
const seed = Number(process.env['ROSTER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Far more than the requests take, so that only a system that hangs exceeds it. */
const timeLimitMs = 300_000 + requestsMin * 50;
/** Limit of the search for fewer commands that fail. */
const shrinkingLimitMs = 120_000;
const workspaces = 8;
/** Maximum number of commands per workspace and run. */
const length = 60;
/** Runs whose failure `ROSTER_SEED` repeats. */
const runsPerSeed = shortOrLong(1, 3);
/** One in ten requests is sent while processes are killed, and enough that each process is killed. */
const requestsPerKill = shortOrLong(60, 100);
const requestsWithKills = Math.max(requestsMin / 10, (partNames.length + 1) * requestsPerKill);

test.serial('the system answers like the model', async (t) => {
  const system = await open(t, patience);
  const requests = await compare(system, requestsMin);
  t.log(`${requests} requests`);
  t.true(requests >= requestsMin);
});

test.serial('the system answers like the model while processes are killed', async (t) => {
  const system = await open(t, { REQUEST_TIMEOUT_MS: '2000' });
  let kills = 0;
  const requests = await compare(system, requestsWithKills, (sent) => {
    if (sent < kills * requestsPerKill) return;
    // In turn. One that has not started again since it was killed is left to a later call.
    const [pid] = processesOf(system.roster.home, partNames[kills % partNames.length]!);
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    kills += 1;
  });
  t.log(`${requests} requests, ${kills} processes killed`);
  t.true(kills >= partNames.length);
});

interface System {
  roster: RunningRoster;
  operator: Bus;
  receiver: Receiver;
}

/** A new system, which is removed after the test. */
async function open(t: ExecutionContext, env: Record<string, string>): Promise<System> {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  // The commands use revoked keys, all from one address.
  const roster = await startRoster({ t, env: { ...env, FAILED_AUTHENTICATIONS_PER_MINUTE: '0' } });
  t.timeout(timeLimitMs);
  t.teardown(() => roster.discard());
  const operator = await connectOperator(roster);
  t.teardown(() => operator.close());
  return { roster, operator, receiver };
}

/**
 * Sends at least this many requests.
 *
 * @param kill is called between commands, with the number of requests sent so far, and may kill a process
 */
async function compare(
  { roster, operator, receiver }: System,
  requestsWanted: number,
  kill?: (sent: number) => void,
): Promise<number> {
  let requests = 0;
  const executed = (count: number) => {
    requests += count;
    kill?.(requests);
  };
  const sequences = Array.from({ length: workspaces }, () => commands(length, receiver.url));
  const property = fc.asyncProperty(fc.tuple(...sequences), async (all) => {
    await Promise.all(
      all.map(async (sequence) => {
        const client = await WorkspaceClient.open(roster, operator, kill !== undefined);
        const real: Real = { client, executed };
        const workspaces = [new WorkspaceModel(await client.beginnings())];
        const model: Model = { workspaces, tokens: [], refused: new Set() };
        await fc.asyncModelRun(() => ({ model, real }), sequence);
      }),
    );
  });
  const isDone = () => requests >= requestsWanted;
  for (let round = 0; !isDone(); round += 1)
    await fc.assert(property, {
      seed: seed + round,
      numRuns: runsPerSeed,
      includeErrorInReport: true,
      interruptAfterTimeLimit: shrinkingLimitMs,
    });
  return requests;
}
