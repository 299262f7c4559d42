import { eventually, throwawayDatabase, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { spawnProbe } from './probe-process.js';

test('on SIGTERM it becomes not ready immediately, serves for the delay, then stops; a second SIGTERM has no effect', async (t) => {
  // Longer than the time limit of a shutdown, which does not include the delay.
  const delayMs = 10_500;
  const probe = spawnProbe(t, { ...(await servers(t)), DRAIN_DELAY_MS: String(delayMs) });
  await probe.ready();
  const toldAt = performance.now();
  probe.kill('SIGTERM');
  const { status, body } = await eventually(async () => {
    const answer = await probe.get('/readyz');
    return answer.status === 503 && answer;
  });
  t.is(status, 503);
  t.deepEqual(body, {
    status: 'stopping',
    checks: { nats: true, 'nats-permissions': true, postgres: true },
  });
  probe.kill('SIGTERM');
  probe.kill('SIGINT');
  t.is(await probe.exit, 0, probe.output());
  t.true(performance.now() - toldAt >= delayMs);
  t.is(probe.lines().filter(({ msg }) => msg === 'stopping').length, 1);
});

test('SIGTERM is not lost while the process loads', async (t) => {
  const env = { NATS_URL: 'nats://127.0.0.1:9', DATABASE_URL: 'postgres://127.0.0.1:9/x' };
  const probe = spawnProbe(t, env, 'slow-probe');
  await eventually(() => probe.output().includes('loading'), { timeoutMs: 90_000 });
  probe.kill('SIGTERM');
  t.is(await probe.exit, 0, probe.output());
});

async function servers(t: ExecutionContext) {
  const [nats, postgres] = await Promise.all([throwawayNats(), throwawayDatabase()]);
  t.teardown(() => Promise.all([nats.stop(), postgres.drop()]));
  return { NATS_URL: nats.url, DATABASE_URL: postgres.url };
}
