import test from 'ava';

import { eventually } from '../index.js';

test('waits until the check returns a value', async (t) => {
  let calls = 0;
  t.is(await eventually(() => ++calls >= 3 && calls), 3);
});

test('repeats a check that throws, and finally throws its last failure', async (t) => {
  const error = await t.throwsAsync(
    eventually(
      () => {
        throw new Error('still closed');
      },
      { timeoutMs: 30, describe: 'the door' },
    ),
  );
  t.is(error.message, 'Waited 30 ms for the door: still closed');
});
