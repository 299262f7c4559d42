import { eventually } from '@roster/testing';
import test from 'ava';
import { Circuits } from '../../delivery/circuits.js';

const failed = { error: 'no', statusCode: 500, retryAfter: null };
const fine = { error: null, statusCode: 200, retryAfter: null };
const limits = { openSeconds: 100, openSecondsMax: 350 };
const hourMs = 3_600_000;

test('five failures in a row open a circuit, one success closes it', (t) => {
  const circuits = new Circuits(limits);
  for (let n = 0; n < 4; n += 1) circuits.note('w', failed);
  t.true(circuits.isClosed('w'));
  circuits.note('w', fine);
  for (let n = 0; n < 4; n += 1) circuits.note('w', failed);
  t.true(circuits.isClosed('w'), 'a success starts the count anew');
  circuits.note('w', failed);
  t.false(circuits.isClosed('w'));
  t.is(circuits.admit('w', true), undefined);
  t.true(circuits.secondsUntilProbe('w') > 99 && circuits.secondsUntilProbe('w') <= 100);
  t.deepEqual(circuits.unclosed(), { open: ['w'], halfOpen: [] });
  t.is(circuits.note('w', fine), 'closed');
  t.is(circuits.admit('w', false), 'regular');
});

test('a half-open circuit admits one probe at a time, and each failed probe doubles the time it is open', async (t) => {
  const circuits = new Circuits({ openSeconds: 0.02, openSecondsMax: 60 });
  for (let n = 0; n < 5; n += 1) circuits.note('w', failed);
  let lastPause = 0;
  for (let probe = 0; probe < 3; probe += 1) {
    await eventually(() => circuits.secondsUntilProbe('w') === 0);
    t.deepEqual(circuits.unclosed(), { open: [], halfOpen: ['w'] });
    t.is(circuits.admit('w', false), undefined, 'a fresh delivery is no probe');
    t.is(circuits.admit('w', true), 'probe');
    t.is(circuits.admit('w', true), undefined, 'one at a time');
    t.deepEqual(circuits.unclosed(), { open: ['w'], halfOpen: [] });
    circuits.note('w', failed);
    t.true(circuits.secondsUntilProbe('w') > lastPause);
    lastPause = circuits.secondsUntilProbe('w');
  }
  t.false(circuits.isClosed('w'));
});

test('a response of an overloaded receiver opens the circuit immediately, for the time in Retry-After, at most a day', (t) => {
  for (const statusCode of [429, 502, 503, 504]) {
    const circuits = new Circuits(limits);
    circuits.note('w', { error: 'no', statusCode, retryAfter: '7200' });
    t.true(circuits.secondsUntilProbe('w') > 7199 && circuits.secondsUntilProbe('w') <= 7200);
  }
  const circuits = new Circuits(limits);
  circuits.note('w', { error: 'no', statusCode: 503, retryAfter: '9999999' });
  t.true(circuits.secondsUntilProbe('w') <= 86_400);
});

test('a bounded number of circuits is kept, those that failed last', (t) => {
  const circuits = new Circuits(limits);
  const overload = { ...failed, statusCode: 503 };
  circuits.note('first', overload);
  circuits.note('second', overload);
  circuits.note('first', overload);
  for (let n = 0; n < 19_999; n += 1) circuits.note(`webhook ${n}`, overload);
  t.is(circuits.unclosed().open.length, 20_000);
  t.false(circuits.isClosed('first'));
  t.true(circuits.isClosed('second'));
});

test.serial(
  'a circuit that was opened while the clock was an hour ahead does not stay open for that hour',
  async (t) => {
    const circuits = new Circuits({ openSeconds: 0.02, openSecondsMax: 60 });
    const { now } = Date;
    Date.now = () => now() + hourMs;
    try {
      for (let n = 0; n < 5; n += 1) circuits.note('w', failed);
    } finally {
      Date.now = now;
    }
    t.false(circuits.isClosed('w'));
    await eventually(() => circuits.admit('w', true) === 'probe', { timeoutMs: 2000 });
  },
);
