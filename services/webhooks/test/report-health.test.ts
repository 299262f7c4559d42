import { uuidOf } from '@roster/contracts';
import test from 'ava';
import {
  countChanges,
  failSince,
  getWebhook,
  listWebhooks,
  makeWebhook,
  makeWorkspace,
  reportHealth,
  unknownId,
  webhooksBench,
  type Health,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Within the days that a webhook may fail. */
const start = Date.now() - 4 * dayMs;

test('shows the last success and failure of a webhook, also in the list, without a broadcast', async (t) => {
  const workspace = makeWorkspace();
  const webhook = await makeWebhook(bench(), workspace);
  t.like(webhook, { status: 'active', lastSuccessAt: null, lastFailureAt: null });
  const changes = countChanges(bench(), workspace);
  const health = { lastSuccessAt: start, lastFailureAt: start - 1, failingSince: start - 5 };
  t.deepEqual(await reportHealth(bench(), workspace, webhook.id, health), { disabled: false });
  const shown = {
    ...webhook,
    lastSuccessAt: new Date(start).toISOString(),
    lastFailureAt: new Date(start - 1).toISOString(),
  };
  t.deepEqual(await getWebhook(bench(), workspace, webhook.id), shown);
  const { token: _, signingSecret: __, ...listed } = shown;
  t.deepEqual(await listWebhooks(bench(), workspace), [listed]);
  t.is(changes(), 0);
});

test('never moves either time backwards', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  await reportHealth(bench(), workspace, id, {
    lastSuccessAt: start + 5,
    lastFailureAt: start + 3,
  });
  await reportHealth(bench(), workspace, id, { lastSuccessAt: start, lastFailureAt: start });
  await reportHealth(bench(), workspace, id, {});
  t.like(await getWebhook(bench(), workspace, id), {
    lastSuccessAt: new Date(start + 5).toISOString(),
    lastFailureAt: new Date(start + 3).toISOString(),
  });
});

test('is failing from the first failure until a success', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const see = (health: Health) => stateAfter(workspace, id, health);
  t.deepEqual(await see({ failingSince: start, lastFailureAt: start }), ['failing', start]);
  const later = { failingSince: start, lastFailureAt: start + hourMs };
  t.deepEqual(await see(later), ['failing', start]);
  // Another dispatcher met its first failure later, or saw a success before all that.
  const other = { failingSince: start + hourMs + 9, lastFailureAt: start + hourMs + 9 };
  t.deepEqual(await see(other), ['failing', start]);
  t.deepEqual(await see({ lastSuccessAt: start - 1 }), ['failing', start]);
  t.deepEqual(await see({ lastSuccessAt: start + 2 * hourMs }), ['active', null]);
  // A repeated report is not counted again.
  t.deepEqual(await see(later), ['active', null]);
  const again = { failingSince: start + 3 * hourMs, lastFailureAt: start + 3 * hourMs };
  t.deepEqual(await see(again), ['failing', start + 3 * hourMs]);
});

test('counts from the first failure known after the success that another dispatcher saw', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const see = (health: Health) => stateAfter(workspace, id, health);
  await see({ lastSuccessAt: start + hourMs });
  const blind = (lastFailureAt: number) => ({ failingSince: start, lastFailureAt });
  t.deepEqual(await see(blind(start + 2)), ['active', null]);
  t.deepEqual(await see(blind(start + 2 * hourMs)), ['failing', start + 2 * hourMs]);
  t.deepEqual(await see(blind(start + 30 * hourMs)), ['failing', start + 2 * hourMs]);
});

test('ends in the same state in whatever order, batches and repetition reports arrive', async (t) => {
  const workspace = makeWorkspace();
  for (let round = 0; round < 20; round += 1) {
    const reports = Array.from({ length: 3 }, dispatcherReports).flat();
    const { state } = await arrive(workspace, reports, 1);
    for (const batch of [1, 5, reports.length]) {
      const other = await arrive(workspace, shuffled([...reports, ...reports.slice(0, 4)]), batch);
      t.deepEqual(other.state, state, JSON.stringify(reports));
    }
    // Within the resolution of what is stored.
    const known = reports.map(({ lastSuccessAt }) => lastSuccessAt ?? 0);
    const success = Math.max(...known);
    const failures = reports
      .flatMap(({ failingSince, lastFailureAt }) => [failingSince, lastFailureAt])
      .filter((at) => at !== undefined && at > success) as number[];
    if (failures.length === 0) t.is(state.failingSince, null);
    else {
      const late = state.failingSince! - Math.min(...failures);
      t.true(late >= 0 && late <= (5 * dayMs) / 128, `${late} ms late`);
    }
  }
});

test('bounds what it stores of a webhook that fails all day', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await makeWebhook(bench(), workspace);
  const reports = Array.from({ length: 2000 }, (_, n) => ({
    failingSince: start,
    lastFailureAt: start + n * 120_000,
  }));
  await Promise.all(reports.map((health) => reportHealth(bench(), workspace, id, health)));
  const { state, kept } = await stateOf(workspace, id);
  t.true(kept <= 129, String(kept));
  t.is(state.lastFailureAt, start + 1999 * 120_000);
});

test.serial('records a batch in one statement, with one webhook twice', async (t) => {
  const workspaces = Array.from({ length: 4 }, makeWorkspace);
  const made = await Promise.all(workspaces.map((workspace) => makeWebhook(bench(), workspace)));
  const before = bench().statements.length;
  await Promise.all(
    [0, 1, 2, 3, 0].map((at, n) =>
      reportHealth(bench(), workspaces[at]!, made[at]!.id, { lastSuccessAt: start + n }),
    ),
  );
  t.deepEqual(bench().statements.slice(before), ['webhooks.report-health']);
  const shown = await Promise.all(
    workspaces.map((workspace, n) => getWebhook(bench(), workspace, made[n]!.id)),
  );
  t.deepEqual(
    shown.map(({ lastSuccessAt }) => Date.parse(lastSuccessAt!) - start),
    [4, 1, 2, 3],
  );
});

test('answers not_found for webhooks of other workspaces and unknown ones, and handles the rest of the batch', async (t) => {
  const [own, other] = [makeWorkspace(), makeWorkspace()];
  const [first, second] = [await makeWebhook(bench(), own), await makeWebhook(bench(), own)];
  const longAgo = Date.now() - 6 * dayMs;
  const outcomes = await Promise.allSettled([
    failSince(bench(), other, first.id, longAgo),
    failSince(bench(), own, unknownId(), longAgo),
    failSince(bench(), own, second.id, longAgo),
  ]);
  t.deepEqual(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code,
    ),
    ['not_found', 'not_found', { disabled: true }],
  );
  t.deepEqual(await getWebhook(bench(), own, first.id), first);
});

test('loses no report and does not deadlock when batches of the same webhooks arrive simultaneously', async (t) => {
  const workspace = makeWorkspace();
  const made = await Promise.all(Array.from({ length: 20 }, () => makeWebhook(bench(), workspace)));
  const answers: Promise<{ disabled: boolean }>[] = [];
  for (let n = 0; n < 40; n += 1) {
    const order = n % 2 === 0 ? made : made.toReversed();
    answers.push(
      ...order.map(({ id }) =>
        reportHealth(bench(), workspace, id, { lastFailureAt: start + n, failingSince: start + n }),
      ),
    );
    await new Promise(setImmediate);
  }
  t.true((await Promise.all(answers)).every(({ disabled }) => !disabled));
  for (const { id } of made) {
    const { state } = await stateOf(workspace, id);
    t.is(state.lastFailureAt, start + 39);
  }
});

/** The reports of one dispatcher while attempts succeed and fail, some of them repeated. */
function dispatcherReports(): Health[] {
  const reports: Health[] = [];
  const seen: Health = {};
  let at = start;
  for (let n = 0; n < 12; n += 1) {
    at += Math.ceil(Math.random() * 8 * hourMs);
    if (Math.random() < 0.2) {
      seen.lastSuccessAt = at;
      delete seen.failingSince;
    } else {
      seen.lastFailureAt = at;
      seen.failingSince ??= at;
    }
    if (Math.random() < 0.7) reports.push({ ...seen });
  }
  return reports;
}

async function arrive(workspace: Workspace, reports: Health[], batch: number) {
  const { id } = await makeWebhook(bench(), workspace);
  for (let at = 0; at < reports.length; at += batch) {
    const together = reports.slice(at, at + batch);
    await Promise.all(together.map((health) => reportHealth(bench(), workspace, id, health)));
  }
  return stateOf(workspace, id);
}

async function stateAfter(workspace: Workspace, id: string, health: Health) {
  await reportHealth(bench(), workspace, id, health);
  const { status } = await getWebhook(bench(), workspace, id);
  return [status, (await stateOf(workspace, id)).state.failingSince];
}

async function stateOf({ workspaceId }: Workspace, id: string) {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
  const text = `
    select ${ms('last_success_at')} as "lastSuccessAt", ${ms('last_failure_at')} as "lastFailureAt",
      ${ms('failing_since')} as "failingSince", disabled_reason as "disabledReason",
      failures::text as failures, cardinality(failures) as kept
    from webhooks.webhooks where workspace_id = $1 and id = $2`;
  const [row] = await bench().database.query<{
    lastFailureAt: number | null;
    failingSince: number | null;
    kept: number;
  }>({ name: 'test.state', text }, [uuidOf('workspace', workspaceId), uuidOf('webhook', id)]);
  const { kept, ...state } = row!;
  return { state, kept };
}

const shuffled = <T>(all: T[]): T[] =>
  all
    .map((one) => ({ one, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
