import fc from 'fast-check';
import test from 'ava';
import {
  countHeld,
  withPosition,
  type Position,
  type OutboxStream,
} from '../../outbox/positions.js';

const at = (sequence: number): Position => ({ sequence, time: `t${sequence}` });
/** A stream that holds its messages up to this one, and different ones after it. */
const holding = (last: number): OutboxStream => ({
  publish: () => Promise.reject(new Error('not expected')),
  tail: () => Promise.reject(new Error('not expected')),
  messageAt: async (sequence) => ({ id: '', time: sequence <= last ? `t${sequence}` : 'later' }),
});

test('keeps few positions, of which a held one is at most a small factor further back than the lost messages', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 2, maxLength: 300, size: 'max' }),
      fc.nat(),
      async (distances, lost) => {
        let [positions, newest, widest] = [[] as Position[], 0, 0];
        for (const distance of distances) {
          newest += distance;
          widest = Math.max(widest, distance);
          positions = withPosition(positions, at(newest));
        }
        const last = newest - (lost % newest);
        const tail = { created: '', first: 1, last: newest, lastTime: '', incarnation: undefined };
        const held = await countHeld(positions, holding(last), tail);
        const found = positions[held - 1]?.sequence ?? 0;
        if (positions.length > 32) throw new Error(`${positions.length} positions`);
        if (found > last) throw new Error(`takes ${found} for held, of ${last}`);
        if (newest - found > 4 * (newest - last + widest)) throw new Error(`${found} of ${last}`);
      },
    ),
  );
  t.pass();
});

test('finds the number of held positions', async (t) => {
  const positions = [10, 20, 30, 40].map(at);
  for (const [last, count] of [
    [5, 0],
    [10, 1],
    [29, 2],
    [40, 4],
    [99, 4],
  ] as const) {
    const tail = { created: '', first: 1, last: 50, lastTime: '', incarnation: undefined };
    t.is(await countHeld(positions, holding(last), tail), count);
  }
});
