import test from 'ava';

import { eventually } from '../index.js';

test('waits until the check answers', async (t) => {
  let calls = 0;
  t.is(await eventually(() => ++calls >= 3 && calls), 3);
});

test('takes a check that throws as not yet, and throws its last failure in the end', async (t) => {
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
