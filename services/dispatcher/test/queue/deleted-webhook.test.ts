import { randomUUID } from 'node:crypto';
import { uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { Subscription } from '../../webhooks/known-webhook.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';
import { insertQueued } from './queued-deliveries.js';

const patient = { timeoutMs: 60_000 };
/** More than two portions. */
const waiting = Number(process.env['WAITING_DELIVERIES'] ?? 2500);
const ids = new IdClock();
const newIds = (count: number) => Array.from({ length: count }, () => ids.next());

test('deliveries of a deleted webhook are skipped at once, except those in flight, by two dispatchers together', async (t) => {
  const running = await runDispatcher(t);
  await running.start();
  const { database, workspace } = running;
  const receiver = await receiverFor(t);
  const [gone, kept] = [running.addWebhook(receiver.url), running.addWebhook(receiver.url)];
  const ofGone = rowOf(running, gone);
  await insertQueued(database, ofGone, newIds(waiting), { dueInSeconds: 3600 });
  await insertQueued(database, ofGone, newIds(3), { dueInSeconds: Infinity });
  const [inFlight = ''] = newIds(1);
  await insertQueued(database, ofGone, [inFlight], { dueInSeconds: 3600, lease: randomUUID() });
  const [other = ''] = newIds(1);
  await insertQueued(database, rowOf(running, kept), [other], { dueInSeconds: 3600 });

  const started = performance.now();
  running.webhooks.splice(running.webhooks.indexOf(gone), 1);
  running.changed();
  const text = 'select delivery_id from dispatcher.queue order by delivery_id';
  const left = () => database.query<{ delivery_id: string }>({ name: 'test.left', text }, []);
  await eventually(async () => (await left()).length <= 2, patient);
  t.log(`${waiting} deliveries skipped in ${Math.round(performance.now() - started)} ms`);
  t.deepEqual(
    (await left()).map((row) => row.delivery_id),
    [inFlight, other],
  );
  const states = await database.query<{ status: string; reason: string | null; count: number }>(
    {
      name: 'test.states',
      text: `
        select status, reason, count(*)::int as count from dispatcher.deliveries
        where workspace_id = $1 and (completed_at is null) = (status = 'pending') group by 1, 2 order by 1`,
    },
    [workspace.id],
  );
  t.deepEqual(states, [
    { status: 'pending', reason: null, count: 2 },
    { status: 'skipped', reason: 'The webhook was deleted.', count: waiting + 3 },
  ]);
  const series = 'roster_deliveries_finished_total{status="skipped",service="dispatcher"}';
  // A dispatcher that has skipped none has no such series.
  const countedBy = (dispatcher: number) => running.metric(series, dispatcher).catch(() => 0);
  const counted = async () => (await countedBy(0)) + (await countedBy(1));
  await eventually(async () => (await counted()) === waiting + 3);
  t.is(receiver.hits.length, 0);
});

const rowOf = ({ workspace }: RunningDispatcher, { id }: Subscription) => ({
  workspaceId: workspace.id,
  webhookId: uuidOf('webhook', id),
});
