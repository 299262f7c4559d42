import test from 'ava';
import { inputTimestamp } from '../text.js';

test('passes timestamps on in UTC with milliseconds, whatever their offset', (t) => {
  for (const [given, instant] of [
    ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T09:00:00+16:00', '2026-01-30T17:00:00.000Z'],
    ['2026-01-31T09:00:00-23:59', '2026-02-01T08:59:00.000Z'],
    ['2026-01-31T09:00:00.123456Z', '2026-01-31T09:00:00.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    t.is(inputTimestamp.parse(given), instant);
    // As a service parses it again.
    t.is(inputTimestamp.parse(instant), instant);
  }
});

test('rejects timestamps without a time or zone, and those that are not in years of four digits in UTC', (t) => {
  const shape = 'must have a time and a zone, as in 2026-01-31T09:00:00Z';
  const range = 'must be in the years 0001 to 9999 in UTC';
  for (const [given, message] of [
    ['2026-01-31', shape],
    ['2026-01-31T09:00:00', shape],
    ['2026-02-30T09:00:00Z', shape],
    ['2026-01-31T09:00:00+24:00', shape],
    ['yesterday', shape],
    ['0000-06-01T00:00:00Z', range],
    ['0001-01-01T00:00:00+00:01', range],
    ['9999-12-31T23:59:59-00:01', range],
  ] as const) {
    const { error } = inputTimestamp.safeParse(given);
    t.deepEqual(
      error?.issues.map((issue) => issue.message),
      [message],
      given,
    );
  }
});
