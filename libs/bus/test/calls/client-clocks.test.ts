import test from 'ava';
import { ClientClocks } from '../../calls/server/client-clocks.js';

const minuteMs = 60_000;
const hourMs = 3_600_000;

test('a difference of clocks is added to the deadlines, in both directions', (t) => {
  for (const ahead of [hourMs, -hourMs]) {
    const clocks = new ClientClocks();
    t.is(clocks.aheadMs('client', 0, ahead), ahead);
    t.is(clocks.aheadMs('client', minuteMs, minuteMs + ahead), ahead);
  }
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

test('nor is the time for which the first batches of a client were delayed, if another client is known', (t) => {
  const clocks = new ClientClocks();
  clocks.aheadMs('known', 0, 0);
  clocks.aheadMs('known ahead', hourMs, 0);
  for (const sentAt of [1000, 1100, 1200]) {
    t.is(clocks.aheadMs('new', sentAt, minuteMs), 0);
    t.is(clocks.aheadMs('another new', sentAt, minuteMs), 0);
  }
});

test('a new client has the difference of the known clients at once, and another after five seconds', (t) => {
  const clocks = new ClientClocks();
  clocks.aheadMs('known', 0, hourMs);
  const now = hourMs + minuteMs;
  t.is(clocks.aheadMs('like the known', minuteMs, now), hourMs);
  t.is(clocks.aheadMs('ahead', now + hourMs, now), -hourMs);
  t.is(clocks.aheadMs('behind', now - 2 * hourMs, now), hourMs);
  const later = now + 5000;
  t.is(clocks.aheadMs('behind', later - 2 * hourMs, later), 2 * hourMs);
});

test('the difference is remembered for five minutes, and follows a clock that was set after ten', (t) => {
  const clocks = new ClientClocks();
  clocks.aheadMs('client', 0, 0);
  clocks.aheadMs('client', 4 * minuteMs, 4 * minuteMs);
  // A suspended machine: its clock stands still for an hour.
  const stand = (at: number) => clocks.aheadMs('client', at - hourMs, at);
  t.is(stand(6 * minuteMs), 0);
  t.is(stand(9 * minuteMs), 0);
  t.is(stand(11 * minuteMs), hourMs);
});

test('a client that sends nothing for ten minutes is forgotten', (t) => {
  const clocks = new ClientClocks();
  clocks.aheadMs('client', 0, 0);
  t.is(clocks.aheadMs('client', 10 * minuteMs - hourMs, 10 * minuteMs), hourMs);
});
