import test from 'ava';
import fc from 'fast-check';
import {
  firstIdAt,
  firstIdAtInstant,
  instantOfId,
  lastIdAt,
  lastIdAtInstant,
  timeOfId,
} from '@roster/contracts';
import { IdClock } from '../time-ordered-id.js';

test('IDs ascend and have a time of at least their process, wherever clocks step and whatever IDs other processes assign', (t) => {
  const step = fc.record({
    process: fc.nat(2),
    byMs: fc.integer({ min: -5, max: 5 }),
    follows: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const times = [1000, 2000, 1003];
      const clocks = times.map((_, process) => new IdClock(() => times[process]!));
      const last: string[] = [];
      let greatest = firstIdAt(0);
      for (const { process, byMs, follows } of steps) {
        times[process]! += byMs;
        if (follows) clocks[process]!.after(greatest);
        const id = clocks[process]!.next();
        t.true(id > (last[process] ?? '') && (!follows || id > greatest));
        t.true(timeOfId(id) >= times[process]!);
        if (follows && last.length > 0 && greatest > firstIdAt(0))
          t.true(instantOfId(id) > instantOfId(greatest));
        last[process] = id;
        if (id > greatest) greatest = id;
      }
    }),
  );
});

test('the IDs of a time are between its bounds, and those of other times are not', (t) => {
  const time = fc.integer({ min: 1, max: Date.parse('9999-12-31T23:59:59.999Z') });
  fc.assert(
    fc.property(time, fc.integer({ min: -1, max: 1 }), (ms, difference) => {
      const id = new IdClock(() => ms).next();
      const at = ms + difference;
      t.is(id > firstIdAt(at), timeOfId(id) >= at);
      t.is(id < lastIdAt(at), timeOfId(id) <= at);
    }),
  );
});

test('all IDs follow the bounds of times before 1970', (t) => {
  for (const bound of [firstIdAt(-1), lastIdAt(-1)]) t.true(new IdClock(() => 0).next() > bound);
});

test('an ID is between the bounds of its time to the microsecond, and no other is', (t) => {
  const clock = new IdClock(() => Date.parse('2026-01-31T09:00:00.123Z'));
  const ids = Array.from({ length: 1500 }, () => clock.next());
  for (const [at, id] of ids.entries()) {
    const instant = instantOfId(id);
    t.true(firstIdAtInstant(instant) < id && id < lastIdAtInstant(instant));
    const before = ids[at - 1];
    if (before !== undefined)
      t.true(before < firstIdAtInstant(instant) && instant > instantOfId(before));
  }
});
