import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { request } from '../../data/graphql.js';
import { filledPage, useList, type List } from '../../data/list.js';
import { fallbackMs, useActivity, useRefresh } from '../../data/live.js';
import {
  Deliveries,
  DeliveryRows,
  WebhookNames,
  type DeliveriesQuery,
  type DeliveryRowFragment,
  type WebhookNamesQuery,
} from './deliveries.graphql.js';
import { apiFilter, type Filter } from './filter.js';

/** How often the newest deliveries are read again at most. */
const refreshMs = 2000;
/** Newest deliveries that are looked at for new ones. */
const newestCount = 30;
/** Rows that are read again at once. */
const refreshedMax = 100;

/**
 * The deliveries that match. Loaded rows change where they are, as attempts are made; new ones are counted until the reader asks
 * for them.
 */
export function useDeliveries(filter: Filter, webhookId?: string) {
  const queryKey = ['deliveries', webhookId, filter];
  const list = useList<DeliveryRowFragment>({
    queryKey,
    readPage: (from, signal) =>
      filledPage(from, async (after) => {
        const variables = { first: 100, after, filter: apiFilter(filter, webhookId) };
        const { deliveries } = await request(Deliveries, variables, signal);
        return { nodes: deliveries!.nodes, ...deliveries!.pageInfo };
      }),
    keepsFormer: true,
  });
  const latest = useRef(list);
  latest.current = list;
  const [news, setNews] = useState(0);
  const touched = useRef(new Set<string>());
  const { data, refetch } = useQuery({
    queryKey: ['deliveries-newest', webhookId, filter],
    queryFn: async ({ signal }) => {
      const of = apiFilter(filter, webhookId);
      const [newest, pending] = await Promise.all([
        request(Deliveries, { first: newestCount, filter: of }, signal),
        readChanging(latest.current, touched.current, signal),
      ]);
      return { newest: newest.deliveries!.nodes, pending };
    },
    enabled: !list.isLoading && !list.error,
    refetchInterval: fallbackMs,
    staleTime: 0,
    gcTime: 0,
  });
  useActivity(({ deliveries }) => {
    for (const { id } of deliveries)
      if (touched.current.size < refreshedMax && list.find(id)) touched.current.add(id);
  });
  const { status } = apiFilter(filter);
  useRefresh(
    ({ deliveries, more }) =>
      more ||
      deliveries.some(
        (one) =>
          touched.current.has(one.id) ||
          ((webhookId === undefined || one.webhookId === webhookId) &&
            (!status || status.includes(one.status))),
      ),
    () => void refetch(),
    refreshMs,
  );
  useEffect(() => {
    if (!data) return;
    const { count, at, change, reload } = latest.current;
    const read = new Map([...data.newest, ...data.pending].map((row) => [row.id, row]));
    change((old) => {
      const row = read.get(old.id);
      return row && hasChanged(old, row) ? row : old;
    });
    const first = at(0);
    const fresh = data.newest.filter(({ id }) => first === undefined || id > first.id).length;
    if (count === 0 && fresh > 0) reload();
    else setNews(fresh);
  }, [data]);
  const showNews = () => {
    setNews(0);
    list.reload();
  };
  return {
    list,
    news: news >= newestCount ? `${newestCount}+` : String(news),
    hasNews: news > 0,
    showNews,
  };
}

/** Rows that are pending, and those that have changed. */
async function readChanging(
  list: List<DeliveryRowFragment>,
  touched: Set<string>,
  signal: AbortSignal,
) {
  const ids = [...touched];
  touched.clear();
  for (let index = 0; index < list.count && ids.length < refreshedMax; index += 1) {
    const row = list.at(index)!;
    if (row.status === 'PENDING' && !ids.includes(row.id)) ids.push(row.id);
  }
  if (ids.length === 0) return [];
  const { nodes } = await request(DeliveryRows, { ids }, signal);
  return nodes.filter((node): node is DeliveryRowFragment => node !== null && 'id' in node);
}

const hasChanged = (old: DeliveryRowFragment, row: DeliveryRowFragment): boolean =>
  old.status !== row.status ||
  old.attemptCount !== row.attemptCount ||
  old.nextAttemptAt !== row.nextAttemptAt;

/** Deliveries that are sent again at once: more are a replay. */
export const matchingMax = 1000;

/** All deliveries that match, from the newest on, at most 1,000. */
export async function readMatching(filter: Filter): Promise<DeliveryRowFragment[]> {
  const rows: DeliveryRowFragment[] = [];
  const of = apiFilter(filter);
  for (let after: string | null = null; rows.length < matchingMax;) {
    const { deliveries }: DeliveriesQuery = await request(Deliveries, {
      first: 100,
      after,
      filter: of,
    });
    rows.push(...deliveries!.nodes);
    if (!deliveries!.pageInfo.hasNextPage) break;
    after = deliveries!.pageInfo.endCursor;
  }
  return rows.slice(0, matchingMax);
}

/** The webhooks of the workspace by their IDs, for rows that name one. */
export function useWebhookNames() {
  return useQuery({
    queryKey: ['webhook-names'],
    queryFn: async ({ signal }) => {
      const all: NonNullable<WebhookNamesQuery['webhooks']> = [];
      for (;;) {
        const { webhooks } = await request(WebhookNames, { after: all.at(-1)?.id ?? null }, signal);
        all.push(...(webhooks ?? []));
        if ((webhooks ?? []).length < 100) return all;
      }
    },
    staleTime: 60_000,
  }).data;
}
