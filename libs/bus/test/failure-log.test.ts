import { Fault } from '@roster/contracts';
import test from 'ava';
import { FailureLog } from '../failure-log.js';

function recording() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
  const failures = new FailureLog(log, 'task failed', () => now);
  return { lines, failures, pass: (ms: number) => (now += ms) };
}

const away = () => new Fault('unavailable', 'Try again.', { reason: 'no responders' });

test('a failure is logged at once, then at most once a minute with the number of those since', (t) => {
  const { lines, failures, pass } = recording();
  for (let second = 0; second < 150; second += 1) {
    failures.warn(away(), { second });
    pass(1000);
  }
  t.deepEqual(
    lines.map(({ second, repeated }) => ({ second, repeated })),
    [
      { second: 0, repeated: undefined },
      { second: 60, repeated: 59 },
      { second: 120, repeated: 59 },
    ],
  );
});

test('a fault of an unavailable dependency is logged with its reason and without a stack, any other error unchanged', (t) => {
  const { lines, failures } = recording();
  failures.warn(away());
  const wrong = new Error('wrong');
  const conflict = new Fault('conflict', 'In the way.');
  failures.warn(wrong);
  failures.warn(conflict);
  t.deepEqual(lines[0], {
    message: 'task failed',
    err: { type: 'Fault', code: 'unavailable', message: 'Try again.', reason: 'no responders' },
  });
  t.is(lines[1]?.['err'], wrong);
  t.is(lines[2]?.['err'], conflict);
});

test('a failure with a different reason is logged immediately', (t) => {
  const { lines, failures } = recording();
  for (const reason of ['first', 'second', 'first'])
    failures.warn(new Fault('unavailable', 'Try again.', { reason }));
  t.deepEqual(
    lines.map(({ err }) => (err as Fault).reason),
    ['first', 'second'],
  );
});
