import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useId, useState } from 'react';
import { request, write } from '../../data/graphql.js';
import { kindName, eventKinds } from '../../data/kinds.js';
import type { EventKind } from '../../data/live.graphql.js';
import { useRefresh } from '../../data/live.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { duration } from '../../parts/number.js';
import styles from './add-webhook.module.css';
import { TestResult, TestWebhook } from './webhooks.graphql.js';

interface SendTestProps {
  webhook: { id: string; events: EventKind[] };
}

/** Sends an event of a kind with made-up data, and shows how the receiver answered. */
export function SendTest({ webhook }: SendTestProps) {
  const label = useId();
  // A test is of one kind, whereas a webhook can have all.
  const [kind, setKind] = useState<EventKind>(
    webhook.events.find((one) => eventKinds.includes(one)) ?? 'CONTACT_CREATED',
  );
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [delivery, setDelivery] = useState<string>();
  const send = async () => {
    setSending(true);
    setFailure(undefined);
    setDelivery(undefined);
    try {
      const { testWebhook } = await write(TestWebhook, { id: webhook.id, kind });
      setDelivery(testWebhook.delivery.id);
    } catch (error) {
      setFailure((error as Error).message);
    } finally {
      setSending(false);
    }
  };
  return (
    <div className={styles.test}>
      <label htmlFor={label}>Send a test: one request with made-up data.</label>
      <div className={styles.line}>
        <select
          id={label}
          value={kind}
          onChange={({ target }) => setKind(target.value as EventKind)}
        >
          {eventKinds.map((one) => (
            <option key={one} value={one}>
              {kindName(one)}
            </option>
          ))}
        </select>
        <Button icon={<Send size={16} aria-hidden />} busy={isSending} onClick={() => void send()}>
          Send a test
        </Button>
      </div>
      {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
      {delivery !== undefined && <Result key={delivery} id={delivery} />}
    </div>
  );
}

function Result({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['test-result', id],
    queryFn: async ({ signal }) => (await request(TestResult, { id }, signal)).delivery,
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'PENDING' ? false : 2000),
  });
  useRefresh(
    ({ deliveries, more }) => more || deliveries.some((one) => one.id === id),
    () => void refetch(),
    250,
  );
  if (error) return <Notice kind="bad">{error.message}</Notice>;
  const attempt = data?.attempts?.[0];
  if (!attempt) return <Notice>Sending…</Notice>;
  const { statusCode, error: why, totalMs, responseBody } = attempt;
  if (data.status === 'DELIVERED')
    return (
      <Notice>
        The receiver answered {statusCode} after {duration(totalMs)}. It works.
      </Notice>
    );
  return (
    <Notice kind="bad">
      {statusCode
        ? `The receiver answered ${statusCode} after ${duration(totalMs)}.`
        : `No answer after ${duration(totalMs)}: ${why}`}
      {responseBody && <pre className={styles.answer}>{responseBody}</pre>}
    </Notice>
  );
}
