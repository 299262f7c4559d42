import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { request, write } from '../../data/graphql.js';
import { fallbackMs, useRefresh } from '../../data/live.js';
import { kindName } from '../../data/kinds.js';
import { Button } from '../../parts/button.js';
import { CodeBlock, formatted } from '../../parts/code-block.js';
import { Copy } from '../../parts/copy.js';
import { Details } from '../../parts/details.js';
import { Notice } from '../../parts/notice.js';
import { counted, duration } from '../../parts/number.js';
import { Panel } from '../../parts/split.js';
import { FullTime, Time } from '../../parts/time.js';
import { AttemptCard } from './attempt.js';
import { curlOf, headersOf } from './curl.js';
import { Delivery, RetryDelivery, type DeliveryQuery } from './deliveries.graphql.js';
import styles from './delivery-panel.module.css';

type Shown = NonNullable<DeliveryQuery['delivery']>;

/** An attempt that was asked for appears within this time, unless all slots are taken. */
const awaitedMs = 20_000;
const awaitedPollMs = 2000;

/** One delivery: what happened, each attempt, the request and the answer. */
export function DeliveryPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useQueryClient();
  const [awaited, setAwaited] = useState<{ count: number; until: number }>();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: ['delivery', id],
    queryFn: async ({ signal }) => (await request(Delivery, { id }, signal)).delivery,
    refetchInterval: awaited ? awaitedPollMs : fallbackMs,
  });
  useRefresh(
    ({ deliveries, more }) => more || deliveries.some((one) => one.id === id),
    () => void refetch(),
  );
  const isAwaited = awaited !== undefined;
  const hasArrived =
    awaited !== undefined &&
    data &&
    (data.attemptCount > awaited.count || Date.now() > awaited.until);
  useEffect(() => {
    if (hasArrived) setAwaited(undefined);
  }, [hasArrived]);
  const retry = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await write(RetryDelivery, { id });
      setAwaited({ count: data!.attemptCount, until: Date.now() + awaitedMs });
      await client.invalidateQueries({ queryKey: ['delivery', id] });
    } catch (refused) {
      setFailure((refused as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const title = data ? kindName(data.kind) : 'Delivery';
  return (
    <Panel title={title} label={`Delivery: ${title}`} onClose={onClose}>
      {error && <Notice kind="bad">{error.message}</Notice>}
      {data === null && (
        <Notice kind="warn">There is no such delivery, or it is no longer kept.</Notice>
      )}
      {data && (
        <>
          <p className={styles.sentence} role="status">
            {isAwaited ? sendingWords(data) : <Sentence delivery={data} />}
          </p>
          {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
          <div className={styles.actions}>
            <Button
              kind={data.status === 'DELIVERED' ? 'plain' : 'primary'}
              icon={<RotateCw size={16} aria-hidden />}
              busy={isBusy || isAwaited}
              data-key="s"
              title="Send again (s)"
              onClick={() => void retry()}
            >
              Send again
            </Button>
            {data.payload && <Copy text={curlOf(data)} what="as curl" isWide />}
          </div>
          <Content delivery={data} />
        </>
      )}
    </Panel>
  );
}

const sendingWords = ({ webhook }: Shown): string =>
  webhook?.status === 'FAILING'
    ? 'Queued. The webhook is failing, and gets one request at a time until it answers.'
    : 'Sending…';

/** What happened and what follows. */
function Sentence({ delivery }: { delivery: Shown }) {
  const { status, attemptCount, nextAttemptAt, reason, webhook, attempts } = delivery;
  const last = attempts?.at(-1);
  const error = last?.error?.replace(/\.$/, '');
  const failed = attemptCount > 0 && error && (
    <>
      Failed {attemptCount === 1 ? 'once' : counted(attemptCount, 'time')}: {asPart(error)}.{' '}
    </>
  );
  if (status === 'DELIVERED')
    return (
      <>
        Delivered{attemptCount > 1 && ` at attempt ${attemptCount}`}
        {last && `: the receiver answered ${last.statusCode} after ${duration(last.totalMs)}`}.
      </>
    );
  if (status === 'SKIPPED') return <>Not sent. {reason}</>;
  if (status === 'DEAD')
    return (
      <>
        {failed || reason} No further attempt is made{failed && reason && `: ${asPart(reason)}`}
        {failed && reason?.endsWith('.') ? '' : '.'}
      </>
    );
  if (webhook?.status === 'DISABLED')
    return <>{failed}The webhook is disabled: it is sent when the webhook is enabled.</>;
  return (
    <>
      {failed || 'Not sent yet: the webhook is failing, and is tried with one delivery at a time. '}
      {nextAttemptAt && (
        <>
          Next attempt{' '}
          {Date.parse(nextAttemptAt) < Date.now() + 5000 ? (
            'now'
          ) : (
            <Time at={nextAttemptAt} isInSentence />
          )}
          .
        </>
      )}
    </>
  );
}

const asPart = (sentence: string): string =>
  sentence.replace(/^The |^No /, (start) => start.toLowerCase());

function Content({ delivery }: { delivery: Shown }) {
  const { id, eventId, subject, webhook, webhookId, createdAt, payload, attempts } = delivery;
  const newestFirst = attempts?.toReversed() ?? [];
  return (
    <>
      <Details
        of={{
          Contact: subject ? (
            <Link href={`/contacts/${subject.contactId}`} className={styles.link}>
              <bdi>{subject.email}</bdi>
            </Link>
          ) : undefined,
          Webhook: (
            <Link href={`/webhooks/${webhookId}`} className={styles.link}>
              <bdi>{webhook?.url ?? 'deleted'}</bdi>
            </Link>
          ),
          Event: (
            <Link href={`/events/${eventId}`} className={styles.link}>
              <code>{eventId}</code>
            </Link>
          ),
          Delivery: (
            <span className={styles.id}>
              <code>{id}</code>
              <Copy text={id} what="ID" />
            </span>
          ),
          Created: <FullTime at={createdAt} />,
        }}
      />
      {newestFirst.length > 0 && (
        <section className={styles.section} aria-label="Attempts">
          <h3>
            {counted(delivery.attemptCount, 'attempt')}
            {delivery.attemptCount > newestFirst.length && `, the last ${newestFirst.length}`}
          </h3>
          <ol className={styles.attempts}>
            {newestFirst.map((attempt, at) => (
              <AttemptCard key={attempt.number} attempt={attempt} isOpen={at === 0} />
            ))}
          </ol>
        </section>
      )}
      {payload && (
        <section className={styles.section} aria-label="Request">
          <h3>Request</h3>
          <CodeBlock
            label="Request body"
            text={formatted(JSON.stringify(payload))}
            copied={JSON.stringify(payload)}
          />
          <details className={styles.headers}>
            <summary>Headers</summary>
            <CodeBlock
              label="Request headers"
              text={headersOf(delivery)
                .map((pair) => pair.join(': '))
                .join('\n')}
            />
            <p>
              Each attempt also has <code>webhook-timestamp</code>, its time, and the signatures{' '}
              <code>webhook-signature</code> and <code>X-Roster-Signature</code>.
            </p>
          </details>
        </section>
      )}
    </>
  );
}
