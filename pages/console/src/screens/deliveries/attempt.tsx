import { Badge } from '../../parts/badge.js';
import { CodeBlock, formatted } from '../../parts/code-block.js';
import { duration } from '../../parts/number.js';
import { Time } from '../../parts/time.js';
import styles from './attempt.module.css';
import type { DeliveryQuery } from './deliveries.graphql.js';

type Attempt = NonNullable<NonNullable<DeliveryQuery['delivery']>['attempts']>[number];

const triggers: Record<Attempt['trigger'], string> = {
  EVENT: 'first attempt',
  RETRY: 'retry',
  MANUAL: 'sent again',
  REPLAY: 'replay',
  TEST: 'test',
};

/** One request: how long each part of it took, and the answer. */
export function AttemptCard({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const { number, trigger, startedAt, statusCode, error, address, totalMs } = attempt;
  const { responseHeaders, responseBody } = attempt;
  const headers = Object.entries(responseHeaders);
  return (
    <li>
      <details className={styles.attempt} open={isOpen}>
        <summary>
          {error ? (
            <Badge kind="bad">{statusCode ?? 'no answer'}</Badge>
          ) : (
            <Badge>{statusCode}</Badge>
          )}
          <span className={styles.what}>
            {number}. {triggers[trigger] ?? trigger}
          </span>
          <span className={styles.when}>
            {duration(totalMs)} · <Time at={startedAt} />
          </span>
        </summary>
        <div className={styles.content}>
          {error && statusCode === null && <p className={styles.error}>{error}</p>}
          <Waterfall attempt={attempt} />
          {address && <p className={styles.quiet}>to {address}</p>}
          {responseBody && <CodeBlock label="Answer" text={formatted(responseBody)} />}
          {headers.length > 0 && (
            <details className={styles.headers}>
              <summary>Headers of the answer</summary>
              <CodeBlock
                label="Headers of the answer"
                text={headers.map((pair) => pair.join(': ')).join('\n')}
              />
            </details>
          )}
        </div>
      </details>
    </li>
  );
}

/** When each part of a request began and how long it took, over one axis. */
function Waterfall({ attempt }: { attempt: Attempt }) {
  const { totalMs } = attempt;
  const parts = partsOf(attempt);
  return (
    <table className={styles.waterfall}>
      <caption className={styles.hidden}>Timing</caption>
      <tbody>
        {parts.map(({ name, from, ms }) => (
          <tr key={name} data-part={name}>
            <th scope="row">{name}</th>
            <td className={styles.track} aria-hidden>
              <svg width="100%" height="8">
                <rect
                  x={`${(from / totalMs) * 100}%`}
                  width={`${Math.max(0.8, (ms / totalMs) * 100)}%`}
                  height="8"
                  rx="2"
                />
              </svg>
            </td>
            <td className={styles.ms}>{duration(ms)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">Total</th>
          <td className={styles.track} aria-hidden />
          <td className={styles.ms}>{duration(totalMs)}</td>
        </tr>
      </tbody>
    </table>
  );
}

/** The first byte is counted from the start; the others are durations. Without DNS and connection, an open one was used. */
function partsOf({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: Attempt) {
  const parts: { name: string; from: number; ms: number }[] = [];
  let from = 0;
  const add = (name: string, ms: number | null) => {
    if (ms === null) return;
    parts.push({ name, from, ms });
    from += ms;
  };
  add('DNS', dnsMs);
  add('Connect', connectMs);
  add('TLS', tlsMs);
  if (firstByteMs === null) add('Waiting', Math.max(0, totalMs - from));
  else {
    add('First byte', Math.max(0, firstByteMs - from));
    add('Answer', Math.max(0, totalMs - firstByteMs));
  }
  return parts;
}
