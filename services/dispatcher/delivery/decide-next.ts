import type { Attempt } from '../attempt/attempt.js';

/** The state of a delivery after an attempt. */
export type Next =
  | { status: 'delivered' }
  | { status: 'dead'; reason: string; disableWebhook: boolean }
  | { status: 'pending'; inSeconds: number };

/** Maximum `Retry-After` that is honoured. */
export const retryAfterSecondsMax = 86_400;

/**
 * 2xx is success. 410 disables the webhook. Any other result is retried according to the schedule, or later if the receiver
 * requests it, until the schedule ends.
 *
 * @param attempts made so far, this one included
 * @param random from 0 to 1, for the jitter of ±20 %
 */
export function decideNext(
  attempt: Pick<Attempt, 'statusCode' | 'error' | 'retryAfter' | 'trigger'>,
  attempts: number,
  scheduleSeconds: readonly number[],
  now: Date,
  random: number,
): Next {
  if (attempt.error === null) return { status: 'delivered' };
  if (attempt.statusCode === 410) {
    return { status: 'dead', reason: 'The receiver answered 410 Gone.', disableWebhook: true };
  }
  if (attempt.trigger === 'test') {
    return { status: 'dead', reason: 'Test deliveries are not retried.', disableWebhook: false };
  }
  const delay = scheduleSeconds[attempts - 1];
  if (delay === undefined) {
    return {
      status: 'dead',
      reason: `Given up after ${attempts} attempts.`,
      disableWebhook: false,
    };
  }
  const jittered = delay * (0.8 + 0.4 * random);
  const requested = retryAfterSeconds(attempt.retryAfter, now);
  return {
    status: 'pending',
    inSeconds: Math.max(jittered, Math.min(requested, retryAfterSecondsMax)),
  };
}

/** Seconds, or an HTTP date (RFC 9110, 10.2.3); 0 for anything else. */
export function retryAfterSeconds(value: string | null, now: Date): number {
  if (value === null) return 0;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value.trim());
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(0, (date - now.getTime()) / 1000);
}
