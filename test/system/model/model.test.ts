import type { Bus } from '@roster/bus';
import fc from 'fast-check';
import test from 'ava';
import { patience, startRoster, type RunningRoster } from '../running-roster.js';
import { commands, type Model, type Real } from './commands.js';
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
 * - A property of a contact is defined from its first use until its definition is deleted.
 * - A write repeated with the same Idempotency-Key by the same user gets the first answer and changes nothing. With a different
 *   input it is rejected. A refused write does not use up its key.
 * - The token of a webhook is shown as given or generated, and never in a list.
 * - A key is accepted with its scopes until it is revoked, and never afterwards.
 *
 * ROSTER_COMMANDS=100000 sends more requests. ROSTER_SEED repeats a failure.
 */
const requestsMin = Number(process.env['ROSTER_COMMANDS'] ?? 10_000);
const seed = process.env['ROSTER_SEED'];
/** Time limit of each test, including the search for fewer commands that fail. */
const timeLimitMs = Math.max(30_000, requestsMin * 3);
const workspaces = 8;
/** Maximum number of commands per workspace and run. */
const length = 60;
/** On average. */
const requestsPerRun = (workspaces * length * 3) / 4;

let roster: RunningRoster;
let operator: Bus;
test.before(async (t) => {
  t.timeout(180_000);
  roster = await startRoster({ env: patience });
  operator = await connectOperator(roster);
});
test.after.always(async () => {
  await operator?.close();
  await roster?.discard();
});

test('the system answers like the model', async (t) => {
  t.timeout(600_000 + timeLimitMs);
  let requests = 0;
  const sequences = Array.from({ length: workspaces }, () => commands(length));
  const property = fc.asyncProperty(fc.tuple(...sequences), async (all) => {
    await Promise.all(
      all.map(async (sequence) => {
        const client = await WorkspaceClient.open(roster, operator);
        const real: Real = { client, executed: (count) => void (requests += count) };
        const model: Model = { workspaces: [new WorkspaceModel()], keys: [] };
        await fc.asyncModelRun(() => ({ model, real }), sequence);
      }),
    );
  });
  await fc.assert(property, {
    numRuns: Math.ceil(requestsMin / requestsPerRun),
    includeErrorInReport: true,
    interruptAfterTimeLimit: timeLimitMs,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
  t.log(`${requests} requests`);
  t.true(requests > 0);
});
