import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { request, write } from '../../data/graphql.js';
import { eventKinds, kindName } from '../../data/kinds.js';
import type { EventKind } from '../../data/live.graphql.js';
import { fallbackMs, useActivity } from '../../data/live.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { counted } from '../../parts/number.js';
import { Progress } from '../../parts/progress.js';
import { toast } from '../../parts/toasts.js';
import { FormerReplays } from './former-replays.js';
import styles from './replay.module.css';
import {
  CancelReplay,
  CreateReplay,
  Replay as ReplayDocument,
  type CreateReplayInput,
  type DeliveryStatus,
  type ReplayStateFragment,
  type WebhookRowFragment,
} from './webhooks.graphql.js';

interface ReplayProps {
  webhook: Pick<WebhookRowFragment, 'id' | 'url'>;
  onClose: () => void;
}

interface Choices {
  since: string;
  until: string;
  status: '' | DeliveryStatus;
  kind: '' | EventKind;
}

/** Sends the deliveries of a time again: counted first, then with progress. */
export function Replay({ webhook, onClose }: ReplayProps) {
  const [choices, setChoices] = useState<Choices>(() => ({
    since: localTime(Date.now() - 86_400_000),
    until: '',
    status: 'DEAD',
    kind: '',
  }));
  const [counting, setCounting] = useState<{ input: CreateReplayInput; total: number }>();
  const [replay, setReplay] = useState<ReplayStateFragment>();
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['since', 'until', 'status', 'kinds']);
  const change = (changes: Partial<Choices>) => {
    setCounting(undefined);
    setChoices({ ...choices, ...changes });
  };
  const count = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      const input = inputOf(webhook.id, choices);
      const { createReplay } = await request(CreateReplay, { input: { ...input, dryRun: true } });
      setCounting({ input, total: createReplay.total });
    });
  };
  const start = () =>
    void submit(async () => {
      const { createReplay } = await write(CreateReplay, { input: counting!.input });
      setReplay(createReplay.replay!);
    });
  if (replay) return <Running replay={replay} onClose={onClose} />;
  return (
    <Dialog title="Replay deliveries" onClose={onClose}>
      <form onSubmit={count}>
        <p className={styles.quiet}>
          The same requests are sent again to <bdi>{webhook.url}</bdi>, with the same{' '}
          <code>webhook-id</code>, so that your receiver recognizes what it has.
        </p>
        <div className={styles.pair}>
          <Field label="From" error={errorOf('since')}>
            <input
              type="datetime-local"
              required
              value={choices.since}
              onChange={({ target }) => change({ since: target.value })}
            />
          </Field>
          <Field label="To" error={errorOf('until')} hint="Empty: now">
            <input
              type="datetime-local"
              value={choices.until}
              onChange={({ target }) => change({ until: target.value })}
            />
          </Field>
        </div>
        <div className={styles.pair}>
          <Field label="Deliveries" error={errorOf('status')}>
            <select
              value={choices.status}
              onChange={({ target }) => change({ status: target.value as Choices['status'] })}
            >
              <option value="DEAD">Dead</option>
              <option value="SKIPPED">Skipped</option>
              <option value="PENDING">Pending</option>
              <option value="DELIVERED">Delivered</option>
              <option value="">All</option>
            </select>
          </Field>
          <Field label="Events" error={errorOf('kinds')}>
            <select
              value={choices.kind}
              onChange={({ target }) => change({ kind: target.value as Choices['kind'] })}
            >
              <option value="">All</option>
              {eventKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {kindName(kind)}
                </option>
              ))}
            </select>
          </Field>
        </div>
        {counting && (
          <Notice>
            {counting.total === 0
              ? 'No delivery matches.'
              : `${counted(counting.total, 'delivery', 'deliveries')} would be sent again.`}
          </Notice>
        )}
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          {counting && counting.total > 0 ? (
            <Button kind="primary" busy={isBusy} onClick={start}>
              Send {counted(counting.total, 'delivery', 'deliveries')} again
            </Button>
          ) : (
            <Button kind="primary" type="submit" busy={isBusy}>
              Count deliveries
            </Button>
          )}
        </DialogButtons>
      </form>
      <FormerReplays webhookId={webhook.id} onShow={setReplay} />
    </Dialog>
  );
}

function Running({ replay, onClose }: { replay: ReplayStateFragment; onClose: () => void }) {
  const client = useQueryClient();
  const queryKey = ['replay', replay.id];
  const { data, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await request(ReplayDocument, { id: replay.id }, signal)).replay ?? replay,
    initialData: replay,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? fallbackMs : false),
  });
  useActivity(({ replays, more }) => {
    const change = replays.find((one) => one.id === replay.id);
    // What was read before may be newer.
    if (change && change.done >= data.done)
      client.setQueryData<ReplayStateFragment>(queryKey, (old) => old && { ...old, ...change });
    else if (more) void refetch();
  });
  const cancel = async () => {
    try {
      await write(CancelReplay, { id: replay.id });
    } catch (error) {
      toast((error as Error).message, { kind: 'bad' });
    }
    await refetch();
  };
  const words = {
    RUNNING: 'Deliveries are queued, and sent as fast as the receiver answers.',
    COMPLETED: 'All are queued, and sent as fast as the receiver answers.',
    CANCELLED: 'Cancelled. Those already queued are still sent.',
  }[data.status];
  return (
    <Dialog title="Replay" onClose={onClose}>
      <section>
        <Progress label="Replay" done={data.done} total={data.total} unit="queued" />
        <p className={styles.quiet} role="status">
          {words}
        </p>
        <DialogButtons>
          {data.status === 'RUNNING' && (
            <Button kind="danger" onClick={() => void cancel()}>
              Cancel replay
            </Button>
          )}
          <Button kind="primary" onClick={onClose}>
            Close
          </Button>
        </DialogButtons>
      </section>
    </Dialog>
  );
}

const inputOf = (
  webhookId: string,
  { since, until, status, kind }: Choices,
): CreateReplayInput => ({
  webhookId,
  since: new Date(since).toISOString(),
  ...(until && { until: new Date(until).toISOString() }),
  ...(status && { status }),
  ...(kind && { kinds: [kind] }),
});

/** A time in the reader's zone, as inputs take it. */
function localTime(time: number): string {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
