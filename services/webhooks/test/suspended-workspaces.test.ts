import { eventually } from '@roster/testing';
import test from 'ava';
import {
  callAsSystem,
  countChanges,
  makeWebhook,
  makeWorkspace,
  subscriptionsOf,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);

const set = ({ workspaceId }: Workspace, suspended: boolean) =>
  bench().bus.call('webhook-suspensions.set', { workspaceId, suspended }, callAsSystem());

test('dispatchers are told that the deliveries of a suspended workspace wait, and of no other', async (t) => {
  const [workspace, other] = [makeWorkspace(), makeWorkspace()];
  await Promise.all([makeWebhook(bench(), workspace), makeWebhook(bench(), other)]);
  const [before] = await subscriptionsOf(bench(), workspace);
  const changes = countChanges(bench(), workspace);
  // The second one changes nothing.
  t.deepEqual(
    [await set(workspace, true), await set(workspace, true)],
    [{ suspended: true }, { suspended: true }],
  );
  const [held] = await subscriptionsOf(bench(), workspace);
  t.like(held, { isHeld: true, token: null, disabledReason: null });
  t.is((await subscriptionsOf(bench(), other))[0]!.isHeld, undefined);
  await set(workspace, false);
  t.deepEqual(await subscriptionsOf(bench(), workspace), [before!]);
  await eventually(() => changes() >= 3);
});
