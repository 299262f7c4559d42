import { useQuery } from '@tanstack/react-query';
import { ChevronLeft } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useLocation, useParams, useSearch, useSearchParams } from 'wouter';
import { request } from '../../data/graphql.js';
import { kindsSummary } from '../../data/kinds.js';
import { fallbackMs } from '../../data/live.js';
import { classes } from '../../parts/classes.js';
import { Notice } from '../../parts/notice.js';
import { Button } from '../../parts/button.js';
import { Empty, Page } from '../../parts/page.js';
import { Split } from '../../parts/split.js';
import { DeliveryFilters } from '../deliveries/delivery-filters.js';
import { DeliveryPanel } from '../deliveries/delivery-panel.js';
import { DeliveryTable } from '../deliveries/delivery-table.js';
import { useDeliveryFilter } from '../deliveries/filter.js';
import { News } from '../../parts/news.js';
import { useDeliveries } from '../deliveries/use-deliveries.js';
import { useStatusRefresh } from './health.js';
import { HealthCard } from './health-card.js';
import { Status } from './status.js';
import { WebhookActions } from './webhook-actions.js';
import styles from './webhook-page.module.css';
import { Webhook, type WebhookRowFragment } from './webhooks.graphql.js';

const Verify = lazy(async () => ({ default: (await import('./verify.js')).Verify }));

/** One webhook: how it does, its deliveries, and how a receiver verifies them. */
export function WebhookPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', id],
    queryFn: async ({ signal }) => (await request(Webhook, { id }, signal)).webhook,
    refetchInterval: fallbackMs,
  });
  useStatusRefresh(
    (one) => one === id,
    () => void refetch(),
  );
  if (data) return <Loaded webhook={data} />;
  return (
    <Page above={<Back />} title="Webhook">
      {data === null && (
        <Empty title="There is no such webhook">
          <p>It was deleted, or belongs to another workspace.</p>
        </Empty>
      )}
      {error && <Notice kind="bad">{error.message}</Notice>}
    </Page>
  );
}

const Back = () => (
  <Link href="/webhooks" className={styles.back}>
    <ChevronLeft size={16} aria-hidden /> Webhooks
  </Link>
);

function Loaded({ webhook }: { webhook: WebhookRowFragment }) {
  const { delivery } = useParams();
  const [, navigate] = useLocation();
  const search = useSearch();
  const base = `/webhooks/${webhook.id}`;
  return (
    <Split
      list={
        <Page
          above={<Back />}
          title={webhook.url}
          summary={
            <>
              {webhook.description !== null && `${webhook.description} · `}
              {kindsSummary(webhook.events)}
              {webhook.payload === 'FULL' && ' · full payload'}
              {webhook.filter && ' · filtered'}
              {webhook.ratePerSecond !== null && ` · ${webhook.ratePerSecond} per second`}
              {webhook.traceContext && ' · with traces'}
              {webhook.headerNames?.length ? ` · with ${webhook.headerNames.join(', ')}` : ''}
            </>
          }
          actions={<WebhookActions webhook={webhook} />}
        >
          <Status webhook={webhook} />
          <Tabs base={base} webhook={webhook} openId={delivery} />
        </Page>
      }
      panel={
        delivery === undefined ? undefined : (
          <DeliveryPanel
            key={delivery}
            id={delivery}
            onClose={() => navigate(base + (search && `?${search}`))}
          />
        )
      }
    />
  );
}

interface TabsProps {
  base: string;
  webhook: WebhookRowFragment;
  openId: string | undefined;
}

function Tabs({ base, webhook, openId }: TabsProps) {
  const [search] = useSearchParams();
  const isVerifying = search.get('tab') === 'verify';
  return (
    <>
      <nav className={styles.tabs} aria-label="Webhook">
        <Link
          href={base}
          className={classes(styles.tab, !isVerifying && styles.current)}
          aria-current={isVerifying ? undefined : 'page'}
        >
          Deliveries
        </Link>
        <Link
          href={`${base}?tab=verify`}
          className={classes(styles.tab, isVerifying && styles.current)}
          aria-current={isVerifying ? 'page' : undefined}
        >
          Verify signatures
        </Link>
      </nav>
      {isVerifying ? (
        <Suspense>
          <Verify webhookId={webhook.id} />
        </Suspense>
      ) : (
        <DeliveriesOf webhook={webhook} base={base} openId={openId} />
      )}
    </>
  );
}

function DeliveriesOf({ base, webhook, openId }: TabsProps) {
  const [filter, change] = useDeliveryFilter('');
  const { list, news, hasNews, showNews } = useDeliveries(filter, webhook.id);
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <>
      <HealthCard webhookId={webhook.id} />
      <DeliveryFilters filter={filter} onChange={change} webhookId={webhook.id} />
      <div>
        {hasNews && <News text={`${news} new`} onShow={showNews} />}
        {!list.isLoading && !list.error && list.count === 0 ? (
          <Empty title={isFiltered ? 'No delivery matches' : 'Nothing was sent yet'}>
            <p>
              {isFiltered
                ? 'Take away a filter, or choose a longer time.'
                : 'The next event of these kinds appears here. “Send test” sends one now.'}
            </p>
            {list.hasMore && <Button onClick={list.loadMore}>Look further back</Button>}
          </Empty>
        ) : (
          <DeliveryTable list={list} base={base} openId={openId} />
        )}
      </div>
    </>
  );
}
