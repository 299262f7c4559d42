import { systemCaller } from '@roster/contracts';
import test from 'ava';
import { LargePace } from '../../calls/batching/large-pace.js';

test('calls of a workspace take a fifth of the time while another one is active', (t) => {
  const pace = new LargePace();
  let now = 0;
  let busyMs = 0;
  for (let call = 0; call < 20; call += 1) {
    pace.called('other', now);
    while (!pace.mayStart('heavy', now)) {
      now += 1;
      pace.called('other', now);
    }
    pace.started('heavy', now);
    t.false(pace.mayStart('heavy', now), 'one at a time');
    now += 30;
    busyMs += 30;
    pace.called('other', now);
    pace.ended('heavy', now);
  }
  t.is(busyMs, 600);
  t.is(now, 2880);
});

test('the calls of other workspaces do not wait for a pause', (t) => {
  const pace = new LargePace();
  pace.called('heavy', 0);
  pace.started('heavy', 0);
  pace.called('other', 1);
  t.false(pace.mayStart('heavy', 2));
  t.true(pace.mayStart('other', 2));
});

test('calls of the only active workspace start immediately', (t) => {
  const pace = new LargePace();
  pace.called('former', 0);
  pace.called('heavy', 150);
  pace.called(systemCaller.workspaceId, 150);
  pace.started('heavy', 150);
  t.true(pace.mayStart('heavy', 150));
  pace.ended('heavy', 180);
  t.true(pace.mayStart('heavy', 180));
});

test('all calls that were sent while no other workspace was active end before the next one', (t) => {
  const pace = new LargePace();
  for (const now of [0, 10, 20]) {
    t.true(pace.mayStart('heavy', now));
    pace.started('heavy', now);
  }
  pace.ended('heavy', 30);
  pace.called('other', 50);
  pace.expire(50);
  t.false(pace.mayStart('heavy', 50), 'two in flight');
  pace.ended('heavy', 60);
  pace.ended('heavy', 70);
  pace.called('other', 269);
  t.false(pace.mayStart('heavy', 269));
  pace.called('other', 270);
  t.true(pace.mayStart('heavy', 270));
});

test('a workspace whose call failed continues after the pause, whether or not it was forgotten', (t) => {
  const pace = new LargePace();
  pace.started('heavy', 0);
  pace.expire(10);
  pace.called('other', 10);
  t.false(pace.mayStart('heavy', 10), 'in flight');
  pace.ended('heavy', 20);
  t.false(pace.mayStart('heavy', 30));
  pace.called('other', 100);
  t.true(pace.mayStart('heavy', 100));
  pace.expire(100);
  t.true(pace.mayStart('heavy', 100));
});

test('after a call that took its whole deadline, the next one is sent within a second', (t) => {
  const pace = new LargePace();
  pace.started('heavy', 0);
  pace.ended('heavy', 5000);
  pace.called('other', 5999);
  t.false(pace.mayStart('heavy', 5999));
  pace.called('other', 6000);
  t.true(pace.mayStart('heavy', 6000));
});
