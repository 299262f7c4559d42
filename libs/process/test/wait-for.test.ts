import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { NotYet, waitFor } from '../wait-for.js';

const starting = new NotYet('the server is starting', { passing: true });
const onReason = () => {};

test.serial('repeats an attempt until it succeeds', async (t) => {
  let attempts = 0;
  const attempt = async () => {
    if (++attempts < 3) throw starting;
    return 'available';
  };
  t.is(await waitFor(attempt, { onReason }), 'available');
  t.is(attempts, 3);
});

test.serial(
  'pauses for a tenth of the time waited, at least 100 ms and at most a second, less up to half of it',
  async (t) => {
    for (const [random, share] of [
      [0, 0.5],
      [1, 1],
    ] as const) {
      const waits = await waitsOf(t, 120_000, random);
      t.true(waits.length > 120);
      for (const { waitedMs, pauseMs } of waits) {
        const whole = Math.min(Math.max(waitedMs / 10, 100), 1000);
        t.true(Math.abs(pauseMs - whole * share) < 1, `${pauseMs} ms after ${waitedMs} ms`);
      }
    }
  },
);

test.serial('reports each reason once a minute', async (t) => {
  const reported: string[] = [];
  let attempts = 0;
  await waitsOf(t, 130_000, 1, {
    reason: () => (++attempts % 2 ? 'starting' : 'recovering'),
    onReason: ({ message }) => reported.push(message),
  });
  t.deepEqual(reported.toSorted(), [
    ...Array.from({ length: 3 }, () => 'recovering'),
    ...Array.from({ length: 3 }, () => 'starting'),
  ]);
});

test.serial('rethrows errors that are not NotYet, and reasons that end the wait', async (t) => {
  const bug = new Error('a bug');
  await t.throwsAsync(
    waitFor(() => Promise.reject(bug), { onReason }),
    { is: bug },
  );
  const wrong = new NotYet('wrong password', { passing: false });
  const givesUp = ({ passing }: NotYet) => !passing;
  const failures = [starting, wrong];
  await t.throwsAsync(
    waitFor(() => Promise.reject(failures.shift()), { onReason, givesUp }),
    { is: wrong },
  );
  t.deepEqual(failures, []);
});

test.serial('ends when the signal is aborted during a pause', async (t) => {
  const stopped = new AbortController();
  const failures = [starting, starting];
  const waiting = waitFor(
    async () => {
      const failure = failures.shift();
      if (failure) throw failure;
    },
    { onReason: () => setImmediate(() => stopped.abort()), signal: stopped.signal },
  );
  await t.throwsAsync(waiting, { name: 'AbortError' });
});

interface Wait {
  /** Since the first attempt. */
  waitedMs: number;
  pauseMs: number;
}

/** The pauses of a wait that ends after this time, with a clock that only they advance. */
async function waitsOf(
  t: ExecutionContext,
  endsAfterMs: number,
  random: number,
  {
    reason = () => starting.message,
    onReason: report = onReason,
  }: { reason?: () => string; onReason?: (reason: NotYet) => void } = {},
): Promise<Wait[]> {
  const waits: Wait[] = [];
  const startedAt = 5000;
  let now = startedAt;
  const real = { now: performance.now, random: Math.random, delay: timers.setTimeout };
  performance.now = () => now;
  Math.random = () => random;
  timers.setTimeout = (async (ms: number) => {
    waits.push({ waitedMs: now - startedAt, pauseMs: ms });
    now += ms;
  }) as typeof timers.setTimeout;
  syncBuiltinESMExports();
  try {
    await waitFor(
      async () => {
        if (now - startedAt < endsAfterMs) throw new NotYet(reason(), { passing: true });
      },
      { onReason: report },
    );
  } finally {
    performance.now = real.now;
    Math.random = real.random;
    timers.setTimeout = real.delay;
    syncBuiltinESMExports();
  }
  t.is(timers.setTimeout, real.delay);
  return waits;
}
