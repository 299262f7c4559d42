import { useLocation, useSearch } from 'wouter';
import type { List } from '../../data/list.js';
import { kindName } from '../../data/kinds.js';
import { Badge } from '../../parts/badge.js';
import { duration } from '../../parts/number.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import type { DeliveryRowFragment } from './deliveries.graphql.js';
import styles from './deliveries.module.css';

interface DeliveryTableProps {
  list: List<DeliveryRowFragment>;
  /** Address of the screen: a delivery is below it. */
  base: string;
  openId?: string | undefined;
  /** URLs of webhooks by their IDs; without them, all rows are of one webhook. */
  urls?: ReadonlyMap<string, string>;
  selection?: ReadonlySet<string>;
  onSelect?: (selection: ReadonlySet<string>) => void;
}

/** Deliveries, newest first. Those that arrived are quiet. */
export function DeliveryTable({ list, base, openId, urls, ...selection }: DeliveryTableProps) {
  const [, navigate] = useLocation();
  const search = useSearch();
  return (
    <Table
      label="Deliveries"
      columns={urls ? [...columns.slice(0, 1), webhookColumn(urls), ...columns.slice(1)] : columns}
      list={list}
      openId={openId}
      onOpen={({ id }) => navigate(`${base}/${id}${search && `?${search}`}`)}
      nameOf={({ kind, subject }) => `${kindName(kind)} ${subject?.email ?? ''}`}
      {...selection}
    />
  );
}

const webhookColumn = (urls: ReadonlyMap<string, string>): Column<DeliveryRowFragment> => ({
  key: 'webhook',
  label: 'Webhook',
  width: 'minmax(0, 2fr)',
  from: 800,
  render: ({ webhookId }) => <bdi>{urls.get(webhookId) ?? 'deleted webhook'}</bdi>,
});

const columns: Column<DeliveryRowFragment>[] = [
  {
    key: 'event',
    label: 'Event',
    width: 'minmax(0, 3fr)',
    render: ({ kind, status, subject }) => (
      <span className={styles.main}>
        <span className={styles.event}>{kindName(kind)}</span>
        <span className={styles.badge}>
          <StatusBadge status={status} />
        </span>
        <span className={styles.subject}>
          <bdi>{subject?.email ?? '\u00a0'}</bdi>
        </span>
      </span>
    ),
  },
  {
    key: 'answer',
    label: 'Last answer',
    width: 'minmax(0, 2fr)',
    from: 560,
    render: (row) => <Answer row={row} />,
  },
  {
    key: 'took',
    label: 'Took',
    width: '84px',
    align: 'end',
    from: 720,
    render: ({ lastTotalMs }) => lastTotalMs !== null && duration(lastTotalMs),
  },
  {
    key: 'attempts',
    label: 'Attempts',
    width: '92px',
    align: 'end',
    from: 900,
    render: ({ attemptCount }) => attemptCount,
  },
  {
    key: 'created',
    label: 'Created',
    width: '104px',
    align: 'end',
    render: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** Nothing for a delivery that arrived. */
export function StatusBadge({ status }: { status: DeliveryRowFragment['status'] }) {
  if (status === 'PENDING') return <Badge kind="warn">Pending</Badge>;
  if (status === 'DEAD') return <Badge kind="bad">Dead</Badge>;
  if (status === 'SKIPPED') return <Badge>Skipped</Badge>;
  return null;
}

function Answer({ row }: { row: DeliveryRowFragment }) {
  const { status, lastStatusCode, lastError, nextAttemptAt, reason } = row;
  const answer = lastStatusCode === null ? lastError : String(lastStatusCode);
  const next = status === 'PENDING' && nextAttemptAt && (
    <span className={styles.subject}>
      next attempt{' '}
      {Date.parse(nextAttemptAt) < Date.now() + 5000 ? 'now' : <Time at={nextAttemptAt} />}
    </span>
  );
  return (
    <>
      <span className={styles.event}>{answer ?? (status === 'SKIPPED' ? reason : '')}</span>
      {next}
    </>
  );
}
