import test from 'ava';
import { decideNext, retryAfterSeconds } from '../../delivery/decide-next.js';

const schedule = [5, 300, 1800];
const now = new Date('2026-11-21T10:00:00Z');
const failed = (statusCode: number | null, retryAfter: string | null = null) => ({
  statusCode,
  error: 'failed',
  retryAfter,
  trigger: 'event' as const,
});

test('a success completes the delivery', (t) => {
  t.deepEqual(decideNext({ ...failed(204), error: null }, 3, schedule, now, 0.5), {
    status: 'delivered',
  });
});

test('each failure has the delay of the schedule with a jitter of ±20 %, and the last ends the delivery', (t) => {
  t.deepEqual(decideNext(failed(500), 1, schedule, now, 0.5), { status: 'pending', inSeconds: 5 });
  t.deepEqual(decideNext(failed(null), 2, schedule, now, 0), { status: 'pending', inSeconds: 240 });
  t.deepEqual(decideNext(failed(500), 3, schedule, now, 0.5), {
    status: 'pending',
    inSeconds: 1800,
  });
  t.like(decideNext(failed(500), 4, schedule, now, 0.5), { status: 'dead', disableWebhook: false });
});

test('410 ends the delivery and disables the webhook', (t) => {
  t.like(decideNext(failed(410), 1, schedule, now, 0.5), { status: 'dead', disableWebhook: true });
});

test('Retry-After is honoured in both forms, never shortens a delay, and is at most a day', (t) => {
  const wait = (value: string) => decideNext(failed(503, value), 1, schedule, now, 0.5);
  t.deepEqual(wait('120'), { status: 'pending', inSeconds: 120 });
  t.deepEqual(wait('Sat, 21 Nov 2026 10:02:00 GMT'), { status: 'pending', inSeconds: 120 });
  t.deepEqual(wait('1'), { status: 'pending', inSeconds: 5 });
  t.deepEqual(wait('99999999'), { status: 'pending', inSeconds: 86_400 });
  t.is(retryAfterSeconds('soon', now), 0);
  t.is(retryAfterSeconds('Sat, 21 Nov 2020 10:02:00 GMT', now), 0);
  t.is(retryAfterSeconds('-5', now), 0);
});

test('a test delivery is not retried', (t) => {
  t.like(decideNext({ ...failed(500), trigger: 'test' }, 1, schedule, now, 0.5), {
    status: 'dead',
  });
});
