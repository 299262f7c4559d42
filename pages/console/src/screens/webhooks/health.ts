import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import { type Activity, concernsWebhook, fallbackMs, useRefresh } from '../../data/live.js';
import type { Hour } from '../../parts/hours.js';
import { WebhookHealth, type WebhookHealthQuery } from './webhooks.graphql.js';

export interface Health {
  attempts: number;
  succeeded: number;
  failed: number;
  /** Of all attempts of the period. Undefined without attempts. */
  p95Ms: number | undefined;
  /** All hours of the period, oldest first; the last one is not over. */
  hours: Hour[];
}

const hourMs = 3_600_000;
/** Webhooks in one request. */
const webhooksMax = 100;
/** How often the statistics are read at most, however many attempts are made. */
const readMs = 5000;

/** Attempts of webhooks in the last hours, at most 168 for one and 50 for several, by the IDs of the webhooks. */
export function useHealth(webhookIds: readonly string[], hours: number) {
  const query = useQuery({
    queryKey: ['webhook-health', hours, webhookIds],
    queryFn: async ({ signal }) => {
      const first = Math.floor(Date.now() / hourMs) * hourMs - (hours - 1) * hourMs;
      const since = new Date(first).toISOString();
      const all = new Map<string, Health>();
      for (let at = 0; at < webhookIds.length; at += webhooksMax) {
        const ids = webhookIds.slice(at, at + webhooksMax);
        const { webhookHealth } = await request(WebhookHealth, { ids, since }, signal);
        for (const stored of webhookHealth ?? [])
          all.set(stored.webhookId, healthOf(stored, first, hours));
      }
      return all;
    },
    placeholderData: keepPreviousData,
    refetchInterval: fallbackMs,
  });
  useRefresh(
    (activity) => concernsWebhook(activity, (id) => webhookIds.includes(id)),
    () => void query.refetch(),
    readMs,
  );
  return query;
}

/** How often dispatchers report whether a webhook fails, and some time for that. */
const reportedMs = 6000;

/** Reads webhooks again when a circuit was opened or closed, and when what was announced is part of their status. */
export function useStatusRefresh(
  isShown: (webhookId: string) => boolean,
  refresh: () => void,
): void {
  const concerns = (activity: Activity) => concernsWebhook(activity, isShown);
  useRefresh(({ webhooks }) => webhooks.some(({ id }) => isShown(id)), refresh);
  useRefresh(concerns, refresh, reportedMs, reportedMs);
}

type Stored = NonNullable<WebhookHealthQuery['webhookHealth']>[number];

/** An hour as REST has it; GraphQL does not type it. */
interface StoredHour {
  hour: string;
  succeeded: number;
  failed: number;
  p95Ms: number | null;
}

function healthOf(
  { attempts, succeeded, failed, p95Ms, hours }: Stored,
  first: number,
  count: number,
): Health {
  const byStart = new Map(
    (hours as unknown as StoredHour[]).map((one) => [Date.parse(one.hour), one]),
  );
  return {
    ...{ attempts, succeeded, failed, p95Ms: p95Ms ?? undefined },
    hours: Array.from({ length: count }, (_, at): Hour => {
      const start = first + at * hourMs;
      const { p95Ms: own = null, ...counts } = byStart.get(start) ?? { succeeded: 0, failed: 0 };
      return { start, ...counts, p95Ms: own ?? undefined };
    }),
  };
}
