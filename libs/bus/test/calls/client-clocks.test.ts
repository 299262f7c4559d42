import test from 'ava';
import { ClientClocks } from '../../calls/server/client-clocks.js';

const hourMs = 3_600_000;

test('a difference of clocks is added to the deadlines, in both directions', (t) => {
  const clocks = new ClientClocks();
  t.is(clocks.aheadMs('behind', 0, hourMs), hourMs);
  t.is(clocks.aheadMs('ahead', hourMs, 0), -hourMs);
});

test('time in transit is not', (t) => {
  const clocks = new ClientClocks();
  t.is(clocks.aheadMs('client', 1000, 1500), 0);
  t.is(clocks.aheadMs('client', 2000, 22_000), 0);
});

test('nor is the time for which a batch of a client with another clock was delayed', (t) => {
  const clocks = new ClientClocks();
  t.is(clocks.aheadMs('client', 0, hourMs), hourMs);
  t.is(clocks.aheadMs('client', 1000, hourMs + 120_000), hourMs);
  t.is(clocks.aheadMs('client', 200_000, hourMs + 199_990), hourMs - 10);
});

test('the difference is remembered for five minutes, and follows a clock that was set after ten', (t) => {
  const clocks = new ClientClocks();
  const minuteMs = 60_000;
  clocks.aheadMs('client', 0, 0);
  clocks.aheadMs('client', 4 * minuteMs, 4 * minuteMs);
  // A suspended machine: its clock stands still for an hour.
  const stand = (at: number) => clocks.aheadMs('client', at - hourMs, at);
  t.is(stand(6 * minuteMs), 0);
  t.is(stand(9 * minuteMs), 0);
  t.is(stand(11 * minuteMs), hourMs);
});
