import { useSearchParams } from 'wouter';
import type { EventKind } from '../../data/live.graphql.js';
import type { DeliveryFilter, DeliveryStatus } from './deliveries.graphql.js';

/** Filters of deliveries in the address. */
export interface Filter {
  /** '' for all, `open` for pending and dead ones, or a status. */
  status: string;
  kind: string;
  /** `404`, `4xx`, `none`. */
  code: string;
  /** `1h`, `24h`, `7d`, or `custom` with `from` and `to`. */
  time: string;
  from: string;
  to: string;
  webhook: string;
}

const names = ['status', 'kind', 'code', 'time', 'from', 'to', 'webhook'] as const;

export const statusCodePattern = /^(?:[1-5]\d\d|[1-5]xx|none)$/;

const hoursOf: Record<string, number> = { '1h': 1, '24h': 24, '7d': 168 };

/** @param usual the status without one in the address */
export function useDeliveryFilter(usual: string) {
  const [search, setSearch] = useSearchParams();
  const filter = Object.fromEntries(
    names.map((name) => [name, search.get(name) ?? '']),
  ) as unknown as Filter;
  if (!search.has('status')) filter.status = usual;
  const change = (changes: Partial<Filter>) =>
    setSearch(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [name, value] of Object.entries(changes))
          if (value || (name === 'status' && usual)) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return [filter, change] as const;
}

/** The filter of the API; times that are relative count from now. */
export function apiFilter(filter: Filter, webhookId?: string): DeliveryFilter {
  const { status, kind, code, time, from, to, webhook } = filter;
  const hours = hoursOf[time];
  return {
    webhookId: webhookId ?? (webhook || null),
    status: status === '' || status === 'all' ? null : statusesOf(status),
    kind: kind ? [kind as EventKind] : null,
    statusCode: statusCodePattern.test(code) ? code : null,
    since: hours
      ? new Date(Date.now() - hours * 3_600_000).toISOString()
      : (time === 'custom' && isoOf(from)) || null,
    until: (time === 'custom' && isoOf(to)) || null,
  };
}

const statusesOf = (status: string): DeliveryStatus[] =>
  status === 'open' ? ['PENDING', 'DEAD'] : [status.toUpperCase() as DeliveryStatus];

function isoOf(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
