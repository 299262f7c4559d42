import { useState } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import type { List } from '../../data/list.js';
import { Button } from '../../parts/button.js';
import { Empty, Page } from '../../parts/page.js';
import { Split } from '../../parts/split.js';
import type { DeliveryRowFragment } from './deliveries.graphql.js';
import { DeliveryFilters } from './delivery-filters.js';
import { DeliveryPanel } from './delivery-panel.js';
import { DeliveryTable } from './delivery-table.js';
import { useDeliveryFilter } from './filter.js';
import { News } from '../../parts/news.js';
import { RetryBar } from './retry-bar.js';
import { readMatching, useDeliveries, useWebhookNames } from './use-deliveries.js';

/** What did not arrive, across webhooks. */
export function Deliveries() {
  const { id } = useParams();
  const [, navigate] = useLocation();
  const search = useSearch();
  const [filter, change] = useDeliveryFilter('open');
  const { list, news, hasNews, showNews } = useDeliveries(filter);
  const webhooks = useWebhookNames();
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const selected = selectedOf(list, selection);
  const urls = new Map(webhooks?.map((one) => [one.id, one.url]));
  const { status, ...others } = filter;
  const isUsual = status === 'open' && !Object.values(others).some(Boolean);
  return (
    <Split
      list={
        <Page title="Deliveries" summary="What is pending or dead, across all webhooks.">
          <DeliveryFilters filter={filter} onChange={change} hasOpen webhooks={webhooks ?? []} />
          <div>
            {hasNews && <News text={`${news} new`} onShow={showNews} />}
            {!list.isLoading && !list.error && list.count === 0 ? (
              <Empty title={isUsual ? 'Everything was delivered' : 'No delivery matches'}>
                <p>
                  {isUsual
                    ? 'A delivery that fails appears here until it arrives.'
                    : 'Take away a filter, or choose a longer time.'}
                </p>
                {list.hasMore && <Button onClick={list.loadMore}>Look further back</Button>}
              </Empty>
            ) : (
              <DeliveryTable
                list={list}
                base="/deliveries"
                openId={id}
                urls={urls}
                selection={selection}
                onSelect={setSelection}
              />
            )}
          </div>
          <RetryBar
            rows={selected}
            readAll={
              list.hasMore && selected.length === list.count
                ? () => readMatching(filter)
                : undefined
            }
            onClear={() => setSelection(new Set())}
            onRetried={(row) => list.replace(row.id, () => row)}
          />
        </Page>
      }
      panel={
        id === undefined ? undefined : (
          <DeliveryPanel
            key={id}
            id={id}
            onClose={() => navigate(`/deliveries${search && `?${search}`}`)}
          />
        )
      }
    />
  );
}

function selectedOf(list: List<DeliveryRowFragment>, selection: ReadonlySet<string>) {
  const rows: DeliveryRowFragment[] = [];
  for (let index = 0; index < list.count && rows.length < selection.size; index += 1) {
    const row = list.at(index)!;
    if (selection.has(row.id)) rows.push(row);
  }
  return rows;
}
