import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { request } from '../../data/graphql.js';
import { kindsSummary } from '../../data/kinds.js';
import { fallbackMs } from '../../data/live.js';
import { Button } from '../../parts/button.js';
import { Copy } from '../../parts/copy.js';
import { HourBars } from '../../parts/hours.js';
import { Notice } from '../../parts/notice.js';
import { counted, percent } from '../../parts/number.js';
import { Empty, Page } from '../../parts/page.js';
import { useRowKeys } from '../../parts/row-keys.js';
import { Time } from '../../parts/time.js';
import { AddWebhook } from './add-webhook.js';
import { type Health, useHealth, useStatusRefresh } from './health.js';
import styles from './webhook-list.module.css';
import { Status } from './status.js';
import { Webhooks, type WebhookRowFragment } from './webhooks.graphql.js';

const pageSize = 100;

/** Each webhook with the attempts of its last day. Only what needs attention has a status. */
export function WebhookList() {
  const [isAdding, setAdding] = useState(false);
  const [pages, setPages] = useState(1);
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', pages],
    queryFn: ({ signal }) => readWebhooks(pages, signal),
    placeholderData: (previous) => previous,
    refetchInterval: fallbackMs,
  });
  useStatusRefresh(
    (id) => data?.some((one) => one.id === id) ?? false,
    () => void refetch(),
  );
  const failing = data?.filter(({ status }) => status === 'FAILING').length;
  const disabled = data?.filter(({ status }) => status === 'DISABLED').length;
  const parts = [
    data && counted(data.length, 'webhook'),
    failing && `${failing} failing`,
    disabled && `${disabled} disabled`,
  ];
  const summary = data?.length ? parts.filter(Boolean).join(' · ') : undefined;
  return (
    <Page
      title="Webhooks"
      summary={summary}
      actions={
        <Button
          kind="primary"
          icon={<Plus size={16} aria-hidden />}
          data-key="n"
          title="Add a webhook (n)"
          onClick={() => setAdding(true)}
        >
          Add webhook
        </Button>
      }
    >
      {error && !data && (
        <>
          <Notice kind="bad">{error.message}</Notice>
          <div>
            <Button onClick={() => void refetch()}>Try again</Button>
          </div>
        </>
      )}
      {data?.length === 0 && <NoWebhooks onAdd={() => setAdding(true)} />}
      {data && data.length > 0 && <Rows webhooks={data} />}
      {data && data.length === pages * pageSize && (
        <div>
          <Button onClick={() => setPages(pages + 1)}>Show more</Button>
        </div>
      )}
      {isAdding && <AddWebhook onClose={() => setAdding(false)} />}
    </Page>
  );
}

async function readWebhooks(pages: number, signal: AbortSignal): Promise<WebhookRowFragment[]> {
  const all: WebhookRowFragment[] = [];
  for (let page = 0; page < pages; page += 1) {
    const after = all.at(-1)?.id ?? null;
    const { webhooks } = await request(Webhooks, { first: pageSize, after }, signal);
    all.push(...(webhooks ?? []));
    if ((webhooks ?? []).length < pageSize) break;
  }
  return all;
}

function Rows({ webhooks }: { webhooks: readonly WebhookRowFragment[] }) {
  const list = useRef<HTMLUListElement>(null);
  useRowKeys(list);
  const { data: health } = useHealth(
    webhooks.map(({ id }) => id),
    24,
  );
  return (
    <ul ref={list} className={styles.list} aria-label="Webhooks">
      {webhooks.map((webhook) => (
        <Row key={webhook.id} webhook={webhook} health={health?.get(webhook.id)} />
      ))}
    </ul>
  );
}

interface RowProps {
  webhook: WebhookRowFragment;
  health: Health | undefined;
}

function Row({ webhook, health }: RowProps) {
  const [, navigate] = useLocation();
  const href = `/webhooks/${webhook.id}`;
  return (
    <li
      className={styles.row}
      onClick={({ target }) => {
        const isPlain =
          !(target as Element).closest('a, button') && !window.getSelection()?.toString();
        if (isPlain) navigate(href);
      }}
    >
      <div className={styles.what}>
        <Link href={href} className={styles.url} data-row>
          <bdi>{webhook.url}</bdi>
        </Link>
        {webhook.description !== null && (
          <p className={styles.description}>{webhook.description}</p>
        )}
        <p className={styles.kinds}>
          {kindsSummary(webhook.events)}
          {webhook.payload === 'FULL' && ' · full payload'}
        </p>
        <Status webhook={webhook} />
      </div>
      <div className={styles.bars}>{health && <HourBars hours={health.hours} />}</div>
      <dl className={styles.numbers}>
        <div>
          <dt>Success, 24 h</dt>
          <dd>{health ? percent(health.succeeded, health.attempts) : '\u00a0'}</dd>
        </div>
        <div>
          <dt>Last failure</dt>
          <dd>{webhook.lastFailureAt ? <Time at={webhook.lastFailureAt} /> : 'none'}</dd>
        </div>
      </dl>
    </li>
  );
}

const listen = 'npm run roster -- listen --forward-to http://localhost:3000/hook';

const NoWebhooks = ({ onAdd }: { onAdd: () => void }) => (
  <Empty title="No webhook yet">
    <p className={styles.lead}>
      Roster sends a signed POST request to a webhook within moments of each change: a contact that
      is created, updated, unsubscribed or deleted. What fails is sent again for three days.
    </p>
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={onAdd}>
      Add webhook
    </Button>
    <p className={styles.lead}>
      Your handler runs on this machine? No webhook is needed, nor a public address:
    </p>
    <div className={styles.command}>
      <code>{listen}</code>
      <Copy text={listen} what="command" />
    </div>
  </Empty>
);
