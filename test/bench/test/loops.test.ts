import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { closedLoop } from '../load/closed-loop.js';
import { requestText, type Span } from '../load/load.js';
import { openLoop, poisson } from '../load/open-loop.js';
import { seededRandom } from '../load/random.js';

const next = () => ({ text: requestText('GET', '/', 'key'), status: 200 });

async function listen(t: ExecutionContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

const spanOf = (warmSeconds: number, seconds: number): Span => ({
  warmSeconds,
  seconds,
  totalMs: (warmSeconds + seconds) * 1000,
  async run(work) {
    await work;
  },
});

test('requests arrive at the given rate, at exponentially distributed intervals', (t) => {
  const times = poisson(1000, 500, seededRandom(3));
  const pauses: number[] = [];
  for (let n = 0, last = 1000; n < 50_000; n += 1) {
    const at = times();
    t.true(at >= last);
    pauses.push(at - last);
    last = at;
  }
  const mean = pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length;
  const variance = pauses.reduce((sum, pause) => sum + (pause - mean) ** 2, 0) / pauses.length;
  t.true(Math.abs(mean - 2) < 0.05, `${mean} ms apart`);
  // The standard deviation of an exponential distribution equals its mean.
  t.true(Math.abs(Math.sqrt(variance) - 2) < 0.1, `${Math.sqrt(variance)} ms of deviation`);
});

test('random numbers are determined by their seed', (t) => {
  const take = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
  t.deepEqual(take(1), take(1));
  t.notDeepEqual(take(1), take(2));
  t.true(take(1).every((value) => value >= 0 && value < 1));
});

test('the latency of a request includes its wait for a stalled server', async (t) => {
  // All requests of the first 300 ms are answered after them.
  let opensAt: number | undefined;
  const port = await listen(t, (_, response) => {
    opensAt ??= performance.now() + 300;
    setTimeout(() => response.end('{}'), Math.max(0, opensAt - performance.now()));
  });
  const shape = { perSecond: 200, connectionsMax: 2, whenTaken: 'wait' as const };
  const { answered, latencyMs, made, dropped } = await openLoop(
    port,
    shape,
    next,
    seededRandom(1),
    spanOf(0, 0.6),
  );
  t.is(answered, made);
  t.is(dropped, 0);
  // Two connections carry one request each: all other requests of that time were waiting to be sent.
  t.true(latencyMs.max > 200, `${latencyMs.max} ms`);
  t.true(latencyMs.p90 > 100, `${latencyMs.p90} ms`);
});

test('with `drop`, a request that finds all connections in use is dropped and counted', async (t) => {
  const port = await listen(t, (_, response) => void setTimeout(() => response.end('{}'), 50));
  const shape = { perSecond: 500, connectionsMax: 2, whenTaken: 'drop' as const };
  const outcome = await openLoop(port, shape, next, seededRandom(1), spanOf(0, 0.5));
  t.true(outcome.dropped > outcome.answered);
  t.is(outcome.answered, outcome.made);
});

test('a connection that the server closed while it was idle is not reused', async (t) => {
  const port = await listen(t, (_, response) => {
    response.end('{}', () => response.socket?.destroy());
  });
  // All connections are opened at the start, and few requests are sent: most find connections that were closed
  // meanwhile.
  const shape = { perSecond: 20, connectionsMax: 64, whenTaken: 'wait' as const };
  const { answered, made } = await openLoop(port, shape, next, seededRandom(1), spanOf(0, 1));
  // A request may be sent before the client detects that its connection was closed, but not every second one.
  t.true(answered >= made - 3, `${answered} of ${made}`);
});

test('counts responses within the measured time, with unexpected statuses separately', async (t) => {
  const statuses = [200, 503];
  let requests = 0;
  const port = await listen(t, (_, response) => {
    response.writeHead(statuses[requests++ % 2]!).end('{}');
  });
  const { answered, otherStatuses, seconds, perSecond, made } = await closedLoop(
    [port],
    1,
    next,
    spanOf(0.2, 3),
  );
  t.deepEqual(Object.keys(otherStatuses), ['503']);
  t.true(Math.abs(answered - otherStatuses['503']!) <= 1);
  t.is(perSecond, answered / seconds);
  t.true(
    made > answered + otherStatuses['503']!,
    'responses before the measured time do not count',
  );
});

test('a client whose connection is closed counts as not answered', async (t) => {
  const port = await listen(t, ({ socket }) => void setTimeout(() => socket.destroy(), 10));
  const { answered, otherStatuses } = await closedLoop([port], 3, next, spanOf(0, 10));
  t.is(answered, 0);
  t.deepEqual(otherStatuses, { 0: 3 });
});
