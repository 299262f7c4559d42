import test from 'ava';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor } from './caller.js';

test('a time range of any instant that an input can contain is stored, and shown in UTC', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const { id: webhookId } = running.addWebhook('https://example.com/');
  const range = (since: string, until?: string) =>
    call('replays.create', { webhookId, since, ...(until === undefined ? {} : { until }) });
  for (const [given, instant] of [
    ['2026-01-31T09:00:00+16:00', '2026-01-30T17:00:00.000Z'],
    ['2026-01-30T09:00:00-23:59', '2026-01-31T08:59:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['2026-01-31T09:00:00.123456789Z', '2026-01-31T09:00:00.123Z'],
  ] as const) {
    const { replay } = await range(given, '9999-12-31T23:59:59.999Z');
    t.is(replay.since, instant);
    t.is((await call('replays.get', { replayId: replay.id! })).replay.since, instant);
    t.deepEqual((await call('deliveries.list', { webhookId, since: given })).deliveries, []);
  }
});
