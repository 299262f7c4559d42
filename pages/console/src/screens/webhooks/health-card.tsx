import { useSearchParams } from 'wouter';
import { Choice } from '../../parts/filters.js';
import { HourChart } from '../../parts/hours.js';
import { Notice } from '../../parts/notice.js';
import { duration, percent } from '../../parts/number.js';
import { useHealth } from './health.js';
import styles from './health-card.module.css';

const periods = [
  ['24', 'Last 24 hours'],
  ['72', 'Last 3 days'],
  ['168', 'Last 7 days'],
] as const;

/** Attempts of a period: their numbers, and how many there were in each hour. */
export function HealthCard({ webhookId }: { webhookId: string }) {
  const [search, setSearch] = useSearchParams();
  const period = search.get('period') ?? '24';
  const { data, error } = useHealth([webhookId], Number(period) || 24);
  const health = data?.get(webhookId);
  const setPeriod = (value: string) =>
    setSearch(
      (old) => {
        const next = new URLSearchParams(old);
        if (value === '24') next.delete('period');
        else next.set('period', value);
        return next;
      },
      { replace: true },
    );
  const { attempts = 0, succeeded = 0, failed = 0, p95Ms } = health ?? {};
  const numbers = [
    ['Success', percent(succeeded, attempts)],
    ['Attempts', attempts.toLocaleString()],
    ['Failed', failed.toLocaleString()],
    ['p95', p95Ms === undefined ? '–' : duration(p95Ms)],
  ];
  return (
    <section className={styles.card} aria-label="Health">
      <div className={styles.head}>
        <dl className={styles.numbers}>
          {numbers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{health ? value : '\u00a0'}</dd>
            </div>
          ))}
        </dl>
        <Choice label="Period" value={period} options={periods} onChange={setPeriod} />
      </div>
      <div className={styles.chart}>
        {health && <HourChart hours={health.hours} />}
        {error && <Notice kind="bad">{error.message}</Notice>}
      </div>
    </section>
  );
}
