import test from 'ava';

import { describeOutcome, outcomeOf } from '../runner/outcome.js';

test('counts the tests that passed beside those that failed', (t) => {
  const report = `
  ✔ a › one
  ✘ [fail]: a › two Values are not deeply equal
  ✔ b › three (1.2s)
  - [skip] b › four
  ─

  1 test failed
  1 test skipped
`;
  t.deepEqual(outcomeOf(report, 1), { passed: 2, failed: 1, skipped: 1 });
});

test('counts failed hooks, uncaught exceptions, unhandled rejections and what never ended', (t) => {
  const report = `
  1 hook failed
  2 unhandled rejections
  1 uncaught exception
  1 test remained pending after a timeout
`;
  t.is(outcomeOf(report, 1).failed, 5);
});

test('a run that broke off without a count is a failure', (t) => {
  t.deepEqual(outcomeOf('', 1), { passed: 0, failed: 1, skipped: 0 });
});

test('names skipped tests only where there are some', (t) => {
  t.is(describeOutcome({ passed: 3, failed: 0, skipped: 0 }), '3 passed, 0 failed');
  t.is(describeOutcome({ passed: 3, failed: 1, skipped: 2 }), '3 passed, 1 failed, 2 skipped');
});
