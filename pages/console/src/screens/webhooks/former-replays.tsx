import { useQuery } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import { kindsSummary } from '../../data/kinds.js';
import { filledPage } from '../../data/list.js';
import { fallbackMs, useRefresh } from '../../data/live.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { Time } from '../../parts/time.js';
import styles from './former-replays.module.css';
import { Replays, type ReplaysQuery, type ReplayStateFragment } from './webhooks.graphql.js';

type Row = NonNullable<ReplaysQuery['replays']>['nodes'][number];

interface FormerReplaysProps {
  webhookId: string;
  onShow: (replay: ReplayStateFragment) => void;
}

const shownMax = 5;
/** How often they are read at most. */
const replaysMs = 2000;

/** The last replays of a webhook, newest first. Nothing if there are none. */
export function FormerReplays({ webhookId, onShow }: FormerReplaysProps) {
  const {
    data = [],
    error,
    refetch,
  } = useQuery({
    queryKey: ['replays', webhookId],
    queryFn: async ({ signal }) =>
      // Replays of other webhooks may fill a page.
      (
        await filledPage<Row>(null, async (after) => {
          const { replays } = await request(Replays, { webhookId, after }, signal);
          return { nodes: replays!.nodes, ...replays!.pageInfo };
        })
      ).nodes,
    staleTime: 0,
    refetchInterval: fallbackMs,
  });
  useRefresh(
    ({ replays, more }) => more || replays.some((one) => one.webhookId === webhookId),
    () => void refetch(),
    replaysMs,
  );
  if (error) return <Notice kind="bad">{error.message}</Notice>;
  if (data.length === 0) return null;
  return (
    <section className={styles.former} aria-label="Former replays">
      <h3>Former replays</h3>
      <ul>
        {data.slice(0, shownMax).map((replay) => (
          <li key={replay.id}>
            <div>
              <Time at={replay.createdAt} /> · {wordsOf(replay)}
              <p>
                {replay.deliveryStatus?.toLowerCase() ?? 'all'} deliveries from{' '}
                <Time at={replay.since} /> to <Time at={replay.until} />
                {replay.kinds && ` · ${kindsSummary(replay.kinds)}`}
              </p>
            </div>
            {replay.status === 'RUNNING' && (
              <Button onClick={() => onShow(replay)}>Show progress</Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function wordsOf({ status, done, total }: Row): string {
  const counts = `${done.toLocaleString()} of ${total.toLocaleString()} queued`;
  if (status === 'COMPLETED') return `${done.toLocaleString()} sent again`;
  return status === 'RUNNING' ? `running, ${counts}` : `cancelled, ${counts}`;
}
