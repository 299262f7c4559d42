import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { request } from '../../data/graphql.js';
import { fallbackMs, useRefresh } from '../../data/live.js';
import { eventKinds, kindName } from '../../data/kinds.js';
import { Choice, Filters, Segments } from '../../parts/filters.js';
import { DeliveryTotals } from './deliveries.graphql.js';
import { apiFilter, statusCodePattern, type Filter } from './filter.js';

/** How often deliveries are counted at most. */
const totalsMs = 10_000;

interface DeliveryFiltersProps {
  filter: Filter;
  onChange: (changes: Partial<Filter>) => void;
  /** The webhook of the screen; otherwise one can be chosen among `webhooks`. */
  webhookId?: string;
  webhooks?: readonly { id: string; url: string }[];
  /** Offers those that are pending or dead, which is the usual status of the list across webhooks. */
  hasOpen?: boolean;
}

/** Status with totals, kind, HTTP status and time. */
export function DeliveryFilters(props: DeliveryFiltersProps) {
  const { filter, onChange, webhookId, webhooks, hasOpen } = props;
  const { data: totals, refetch } = useQuery({
    queryKey: ['delivery-totals', webhookId, { ...filter, status: '' }],
    queryFn: async ({ signal }) => {
      const of = { ...apiFilter(filter, webhookId), status: null };
      return (await request(DeliveryTotals, { filter: of }, signal)).deliveries?.totals ?? null;
    },
    placeholderData: (previous) => previous,
    refetchInterval: fallbackMs,
  });
  useRefresh(
    ({ deliveries, more }) => more || deliveries.length > 0,
    () => void refetch(),
    totalsMs,
  );
  const count = (number: number | undefined) =>
    totals && number !== undefined
      ? compact.format(number) + (totals.isEstimate ? '+' : '')
      : undefined;
  const all = totals && totals.pending + totals.delivered + totals.dead + totals.skipped;
  const everything = { value: 'all', words: 'All', count: count(all ?? undefined) };
  const open = {
    value: 'open',
    words: 'Not delivered',
    count: count(totals ? totals.pending + totals.dead : undefined),
  };
  const statuses = [
    { value: 'pending', words: 'Pending', count: count(totals?.pending) },
    { value: 'dead', words: 'Dead', count: count(totals?.dead) },
    { value: 'delivered', words: 'Delivered', count: count(totals?.delivered) },
    { value: 'skipped', words: 'Skipped', count: count(totals?.skipped) },
  ];
  return (
    <>
      <Segments
        label="Status"
        value={filter.status || 'all'}
        onChange={(status) => onChange({ status: status === 'all' && !hasOpen ? '' : status })}
        options={hasOpen ? [open, ...statuses, everything] : [everything, ...statuses]}
      />
      <Filters>
        {webhooks && (
          <Choice
            label="Webhook"
            value={filter.webhook}
            options={[['', 'Any webhook'], ...webhooks.map(({ id, url }) => [id, url] as const)]}
            onChange={(webhook) => onChange({ webhook })}
          />
        )}
        <Choice
          label="Event"
          value={filter.kind}
          options={[['', 'Any event'], ...eventKinds.map((one) => [one, kindName(one)] as const)]}
          onChange={(kind) => onChange({ kind })}
        />
        <StatusCode value={filter.code} onChange={(code) => onChange({ code })} />
        <Choice
          label="Time"
          value={filter.time}
          options={times}
          onChange={(time) => onChange({ time, from: '', to: '' })}
        />
        {filter.time === 'custom' && (
          <>
            <input
              type="datetime-local"
              aria-label="From"
              value={filter.from}
              onChange={({ target }) => onChange({ from: target.value })}
            />
            <span>to</span>
            <input
              type="datetime-local"
              aria-label="To"
              value={filter.to}
              onChange={({ target }) => onChange({ to: target.value })}
            />
          </>
        )}
      </Filters>
    </>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

const times = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['custom', 'From … to …'],
] as const;

/** An exact status, a class of them, or no response. It applies as soon as it is complete. */
function StatusCode({ value, onChange }: { value: string; onChange: (code: string) => void }) {
  const list = useId();
  const [text, setText] = useState(value);
  const isWrong = text !== '' && !statusCodePattern.test(text);
  return (
    <>
      <input
        aria-label="HTTP status of the last attempt, such as 404, 4xx or none"
        aria-invalid={isWrong || undefined}
        title="404, 4xx, or none for no response"
        placeholder="HTTP status"
        size={11}
        list={list}
        value={text}
        onChange={({ target }) => {
          const code = target.value.trim().toLowerCase();
          setText(code);
          if (code === '' || statusCodePattern.test(code)) onChange(code);
        }}
      />
      <datalist id={list}>
        {['4xx', '5xx', 'none', '404', '410', '429', '500', '503'].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}
