import { RotateCw, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { write } from '../../data/graphql.js';
import { kindName } from '../../data/kinds.js';
import { isTemporary, Problem } from '../../data/problem.js';
import { Button, IconButton } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Notice } from '../../parts/notice.js';
import { counted } from '../../parts/number.js';
import { Progress } from '../../parts/progress.js';
import { toast } from '../../parts/toasts.js';
import { matchingMax } from './use-deliveries.js';
import { RetryDelivery, type DeliveryRowFragment } from './deliveries.graphql.js';
import styles from './retry-bar.module.css';

interface RetryBarProps {
  rows: readonly DeliveryRowFragment[];
  /** Reads those that match too, if all rows that are loaded are selected and there are others. */
  readAll: (() => Promise<DeliveryRowFragment[]>) | undefined;
  onClear: () => void;
  /** A delivery was queued again. */
  onRetried: (row: DeliveryRowFragment) => void;
}

/** Sends the selected deliveries again. */
export function RetryBar({ rows, readAll, onClear, onRetried }: RetryBarProps) {
  const [isReading, setReading] = useState(false);
  const chooseAll = async () => {
    setReading(true);
    try {
      setChosen(await readAll!());
    } catch (error) {
      toast((error as Error).message, { kind: 'bad' });
    } finally {
      setReading(false);
    }
  };
  const [chosen, setChosen] = useState<readonly DeliveryRowFragment[]>();
  return (
    <>
      {rows.length > 0 && (
        <section className={styles.bar} aria-label="Selection">
          <strong role="status">{rows.length.toLocaleString()} selected</strong>
          <Button
            kind="primary"
            icon={<RotateCw size={16} aria-hidden />}
            onClick={() => setChosen(rows)}
          >
            Send again
          </Button>
          {readAll && (
            <Button
              busy={isReading}
              title={`At most ${matchingMax.toLocaleString()}. For more, replay a webhook.`}
              onClick={() => void chooseAll()}
            >
              Send all that match
            </Button>
          )}
          <IconButton
            label="Clear the selection"
            icon={<X size={17} aria-hidden />}
            onClick={onClear}
          />
        </section>
      )}
      {chosen && (
        <Retry
          rows={chosen}
          onRetried={onRetried}
          onClose={(isDone) => {
            setChosen(undefined);
            if (isDone) onClear();
          }}
        />
      )}
    </>
  );
}

/** At once: a receiver that has just recovered is not flooded by one reader. */
const inFlightMax = 4;
const waitMsMax = 60_000;

interface RetryProps {
  rows: readonly DeliveryRowFragment[];
  onRetried: (row: DeliveryRowFragment) => void;
  onClose: (isDone: boolean) => void;
}

function Retry({ rows, onRetried, onClose }: RetryProps) {
  const [done, setDone] = useState(0);
  const [refused, setRefused] = useState<{ row: DeliveryRowFragment; why: string }[]>([]);
  const [status, setStatus] = useState<'asking' | 'running' | 'stopped' | 'done'>('asking');
  const abort = useRef<AbortController>(undefined);
  const left = useRef([...rows]);
  const run = async () => {
    const controller = new AbortController();
    abort.current = controller;
    setStatus('running');
    const work = async () => {
      for (let row = left.current.shift(); row; row = left.current.shift()) {
        try {
          const { retryDelivery } = await retried(row.id, controller.signal);
          onRetried(retryDelivery.delivery);
        } catch (error) {
          if (controller.signal.aborted) {
            left.current.unshift(row);
            return;
          }
          const refusal = { row, why: (error as Error).message };
          setRefused((old) => [...old, refusal]);
        }
        setDone((old) => old + 1);
        if (controller.signal.aborted) return;
      }
    };
    await Promise.all(Array.from({ length: inFlightMax }, work));
    setStatus(controller.signal.aborted ? 'stopped' : 'done');
  };
  useEffect(() => () => abort.current?.abort(), []);
  const what = counted(rows.length, 'delivery', 'deliveries');
  const webhooks = new Set(rows.map(({ webhookId }) => webhookId)).size;
  return (
    <Dialog title={`Send ${what} again`} onClose={() => onClose(status === 'done')}>
      <section>
        {status === 'asking' ? (
          <p>
            The same requests are sent to {counted(webhooks, 'webhook')} now, whatever their status.
            Receivers recognize what they have by <code>webhook-id</code>.
          </p>
        ) : (
          <Progress label="Sent again" done={done} total={rows.length} unit="queued" />
        )}
        {status === 'stopped' && (
          <Notice>
            Stopped. {counted(left.current.length, 'delivery', 'deliveries')} are left.
          </Notice>
        )}
        {status === 'done' && refused.length < rows.length && (
          <Notice>
            {counted(rows.length - refused.length, 'delivery', 'deliveries')}{' '}
            {rows.length - refused.length === 1 ? 'is' : 'are'} sent again. The list shows how the
            receivers answer.
          </Notice>
        )}
        {refused.length > 0 && (
          <Notice kind="bad">
            {refused.length.toLocaleString()} refused:
            <ul className={styles.refused}>
              {refused.slice(0, 50).map(({ row, why }) => (
                <li key={row.id}>
                  {kindName(row.kind)} <bdi>{row.subject?.email}</bdi>: {why}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <DialogButtons>
          {status === 'running' && <Button onClick={() => abort.current?.abort()}>Stop</Button>}
          {status === 'stopped' && <Button onClick={() => void run()}>Continue</Button>}
          {status === 'asking' ? (
            <>
              <Button onClick={() => onClose(false)}>Cancel</Button>
              <Button kind="primary" onClick={() => void run()}>
                Send {what} again
              </Button>
            </>
          ) : (
            status !== 'running' && (
              <Button kind="primary" onClick={() => onClose(status === 'done')}>
                Close
              </Button>
            )
          )}
        </DialogButtons>
      </section>
    </Dialog>
  );
}

/** Waits as long as the API asks for when a limit is reached, or the connection is lost. */
async function retried(id: string, signal: AbortSignal) {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await write(RetryDelivery, { id });
    } catch (error) {
      if (!isTemporary(error) || attempt >= 8) throw error;
      const seconds = (error as Problem).retryAfterSeconds ?? attempt;
      await wait(Math.min(seconds * 1000, waitMsMax), signal);
    }
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
