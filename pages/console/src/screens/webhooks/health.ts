import { useQuery } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import type { Hour } from '../../parts/hours.js';
import { WebhookHealth } from './webhooks.graphql.js';

export interface Health {
  attempts: number;
  succeeded: number;
  failed: number;
  /** Of the hour in which it was highest. Undefined without attempts. */
  p95Ms: number | undefined;
  /** All hours of the period, oldest first; the last one is not over. */
  hours: Hour[];
}

const hourMs = 3_600_000;

/** Attempts of a webhook in the last hours, at most 168. */
export function useHealth(webhookId: string, hours: number) {
  return useQuery({
    queryKey: ['webhook-health', webhookId],
    queryFn: async ({ signal }) => {
      const { webhook } = await request(WebhookHealth, { id: webhookId }, signal);
      return webhook?.stats?.hours ?? [];
    },
    select: (stored) => healthOf(stored, hours),
    refetchInterval: 30_000,
  });
}

function healthOf(
  stored: { hour: string; successes: number; failures: number; p95Ms: number | null }[],
  count: number,
): Health {
  const byHour = new Map(stored.map((one) => [Date.parse(one.hour), one]));
  const last = Math.floor(Date.now() / hourMs) * hourMs;
  const hours = Array.from({ length: count }, (_, at): Hour => {
    const start = last - (count - 1 - at) * hourMs;
    const { successes = 0, failures = 0, p95Ms = null } = byHour.get(start) ?? {};
    return { start, succeeded: successes, failed: failures, p95Ms: p95Ms ?? undefined };
  });
  const succeeded = hours.reduce((sum, one) => sum + one.succeeded, 0);
  const failed = hours.reduce((sum, one) => sum + one.failed, 0);
  const slowest = Math.max(...hours.map(({ p95Ms = -1 }) => p95Ms));
  return {
    attempts: succeeded + failed,
    succeeded,
    failed,
    p95Ms: slowest < 0 ? undefined : slowest,
    hours,
  };
}
