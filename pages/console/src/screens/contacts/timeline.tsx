import { Link } from 'wouter';
import { request } from '../../data/graphql.js';
import { kindName } from '../../data/kinds.js';
import { useList } from '../../data/list.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { Time } from '../../parts/time.js';
import { Timeline as TimelineDocument, type TimelineQuery } from './timeline.graphql.js';
import styles from './timeline.module.css';

type Event = NonNullable<TimelineQuery['eventLog']>['nodes'][number];
type Delivery = NonNullable<Event['deliveries']>[number];

/** What happened to a contact, newest first, and whether its webhooks know. */
export function Timeline({ contactId }: { contactId: string }) {
  const list = useList<Event>({
    queryKey: ['contact-timeline', contactId],
    readPage: async (after, signal) => {
      const { eventLog } = await request(TimelineDocument, { contactId, after }, signal);
      return { nodes: eventLog!.nodes, ...eventLog!.pageInfo };
    },
  });
  const events = Array.from({ length: list.count }, (_, at) => list.at(at)!);
  return (
    <section className={styles.timeline} aria-label="Timeline">
      <h3>Timeline</h3>
      {list.error && <Notice kind="bad">{list.error.message}</Notice>}
      {!list.isLoading && !list.error && events.length === 0 && (
        <p>No event is kept of this contact.</p>
      )}
      <ol>
        {events.map(({ id, kind, createdAt, deliveries }) => (
          <li key={id}>
            <div>
              <Link href={`/events/${id}`}>{kindName(kind)}</Link>
              <Deliveries of={deliveries ?? []} />
            </div>
            <Time at={createdAt} />
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <Button busy={list.isLoadingMore} onClick={list.loadMore}>
          Show earlier events
        </Button>
      )}
    </section>
  );
}

const words: Record<Delivery['status'], string> = {
  PENDING: 'waiting',
  DEAD: 'failed',
  SKIPPED: 'skipped',
  DELIVERED: 'delivered',
};

/** One word for those that arrived; each other one leads to its attempts. */
function Deliveries({ of }: { of: readonly Delivery[] }) {
  const delivered = of.filter(({ status }) => status === 'DELIVERED').length;
  return (
    <span className={styles.deliveries}>
      {delivered > 0 &&
        `${delivered === of.length && of.length > 1 ? 'all ' : ''}${delivered} delivered`}
      {of
        .filter(({ status }) => status !== 'DELIVERED')
        .map(({ id, status, webhookId }) => (
          <Link key={id} href={`/webhooks/${webhookId}/${id}`}>
            <Badge kind={status === 'DEAD' ? 'bad' : 'plain'}>{words[status]}</Badge>
          </Link>
        ))}
    </span>
  );
}
