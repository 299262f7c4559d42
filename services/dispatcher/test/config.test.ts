import { readConfig } from '@roster/process';
import test from 'ava';
import { dispatcherConfig } from '../config.js';

const read = (env: Record<string, string> = {}) =>
  readConfig(dispatcherConfig, { NATS_URL: 'nats://x', DATABASE_URL: 'postgres://x/x', ...env });

test('requires only the addresses of NATS and PostgreSQL, and allows only public targets by default', (t) => {
  const config = read();
  t.deepEqual(config.ALLOW_TARGETS, []);
  t.false(config.ALLOW_HTTP);
  t.is(config.ATTEMPT_TIMEOUT_MS, 15_000);
  t.deepEqual(
    config.RETRY_SCHEDULE_SECONDS,
    [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  );
});

test('accepts a schedule with fractions, and ranges separated by commas', (t) => {
  const config = read({ RETRY_SCHEDULE_SECONDS: '0.1, 2', ALLOW_TARGETS: '127.0.0.0/8, ::1/128' });
  t.deepEqual(config.RETRY_SCHEDULE_SECONDS, [0.1, 2]);
  t.deepEqual(config.ALLOW_TARGETS, ['127.0.0.0/8', '::1/128']);
});

test('rejects durations that are inconsistent with each other, naming the variable and what it must be', (t) => {
  const week = { EVENTS_MAX_AGE_SECONDS: '86400', RETRY_SCHEDULE_SECONDS: '60' };
  t.notThrows(() => read({ ...week, RETENTION_DAYS: '1' }));
  for (const [env, message] of [
    [
      { ...week, RETRY_SCHEDULE_SECONDS: '86400', RETENTION_DAYS: '1' },
      /RETENTION_DAYS: must be at least the whole retry schedule, 2/,
    ],
    [{ RETENTION_DAYS: '6' }, /RETENTION_DAYS: must be at least EVENTS_MAX_AGE_SECONDS/],
    [{ EVENTS_MAX_AGE_SECONDS: '9999999' }, /RETENTION_DAYS: must be at least EVENTS_MAX_AGE/],
  ] as const)
    t.throws(() => read(env), { message });
});

test('rejects an invalid schedule and invalid ranges, naming the variable', (t) => {
  for (const [name, value] of [
    ['RETRY_SCHEDULE_SECONDS', '5,soon'],
    ['RETRY_SCHEDULE_SECONDS', '-1'],
    ['ALLOW_TARGETS', '127.0.0.1'],
    ['ALLOW_PORTS', '25,x'],
    ['ALLOW_PORTS', '65536'],
    ['DENY_TARGETS', 'all'],
    ['SERVICE_NAME', 'two words'],
  ] as const)
    t.throws(() => read({ [name]: value }), { message: new RegExp(name) });
});
