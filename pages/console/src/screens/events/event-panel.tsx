import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { gatewayUrl } from '../../boot.js';
import { kindName } from '../../data/kinds.js';
import type { EventKind } from '../../data/live.graphql.js';
import { fallbackMs, useRefresh } from '../../data/live.js';
import { Problem } from '../../data/problem.js';
import { rest } from '../../data/rest.js';
import { Badge } from '../../parts/badge.js';
import { CodeBlock, formatted } from '../../parts/code-block.js';
import { Copy } from '../../parts/copy.js';
import { Details } from '../../parts/details.js';
import { Notice } from '../../parts/notice.js';
import { counted } from '../../parts/number.js';
import { Panel } from '../../parts/split.js';
import { FullTime } from '../../parts/time.js';
import type { DeliveryRowFragment } from '../deliveries/deliveries.graphql.js';
import { StatusBadge } from '../deliveries/delivery-table.js';
import { useWebhookNames } from '../deliveries/use-deliveries.js';
import styles from './events.module.css';

/** An event as `GET /v1/events/{eventId}` has it. */
interface Event {
  id: string;
  kind: EventKind;
  createdAt: string;
  data: {
    contact?: { id: string; email: string };
    import?: { id: string };
    webhook?: { id: string };
    delivery?: { id: string };
  };
  deliveries: {
    id: string;
    webhookId: string;
    status: Lowercase<DeliveryRowFragment['status']>;
    lastStatusCode: number | null;
  }[];
}

/** One event: its data, and what became of it at each webhook. */
export function EventPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const {
    data: event,
    error,
    refetch,
  } = useQuery({
    queryKey: ['event', id],
    queryFn: async ({ signal }) =>
      (await rest<{ event: Event }>('GET', `/v1/events/${encodeURIComponent(id)}`, { signal })).data
        .event,
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === 'pending') ? fallbackMs : false,
  });
  useRefresh(
    ({ deliveries, more }) => more || deliveries.some(({ eventId }) => eventId === id),
    () => void refetch(),
  );
  const webhooks = useWebhookNames();
  const title = event ? kindName(event.kind) : 'Event';
  return (
    <Panel title={title} label={`Event: ${title}`} onClose={onClose}>
      {error && (
        <Notice kind="bad">
          {error instanceof Problem && error.status === 404
            ? 'There is no such event, or it is no longer kept.'
            : error.message}
        </Notice>
      )}
      {event && (
        <>
          <Details
            of={{
              Contact: event.data.contact && (
                <Link href={`/contacts/${event.data.contact.id}`} className={styles.link}>
                  <bdi>{event.data.contact.email}</bdi>
                </Link>
              ),
              Import: event.data.import && (
                <Link href={`/imports/${event.data.import.id}`} className={styles.link}>
                  <code>{event.data.import.id}</code>
                </Link>
              ),
              Webhook: event.data.webhook && (
                <Link href={`/webhooks/${event.data.webhook.id}`} className={styles.link}>
                  <code>{event.data.webhook.id}</code>
                </Link>
              ),
              Delivery: event.data.webhook && event.data.delivery && (
                <Link
                  href={`/webhooks/${event.data.webhook.id}/${event.data.delivery.id}`}
                  className={styles.link}
                >
                  <code>{event.data.delivery.id}</code>
                </Link>
              ),
              Time: <FullTime at={event.createdAt} />,
              ID: (
                <span className={styles.id}>
                  <code>{event.id}</code>
                  <Copy text={event.id} what="ID" />
                </span>
              ),
            }}
          />
          <section className={styles.section} aria-label="Data">
            <h3>Data</h3>
            <CodeBlock
              label="Event"
              text={formatted(JSON.stringify(bodyOf(event)))}
              copied={JSON.stringify(bodyOf(event))}
            />
            <div>
              <Copy text={curlOf(event)} what="as curl" isWide />
            </div>
          </section>
          <section className={styles.section} aria-label="Deliveries of the event">
            <h3>{counted(event.deliveries.length, 'delivery', 'deliveries')}</h3>
            {event.deliveries.length === 0 ? (
              <p>No webhook subscribes to this kind of event.</p>
            ) : (
              <ul className={styles.deliveries}>
                {event.deliveries.map(({ id: one, webhookId, status, lastStatusCode }) => (
                  <li key={one}>
                    <Link href={`/webhooks/${webhookId}/${one}`} className={styles.delivery}>
                      <bdi>
                        {webhooks?.find((webhook) => webhook.id === webhookId)?.url ?? webhookId}
                      </bdi>
                      {lastStatusCode !== null &&
                        (lastStatusCode >= 200 && lastStatusCode < 300 ? (
                          lastStatusCode
                        ) : (
                          <Badge kind="bad">{lastStatusCode}</Badge>
                        ))}
                      <StatusBadge status={status.toUpperCase() as DeliveryRowFragment['status']} />
                    </Link>
                  </li>
                ))}
              </ul>
            )}
          </section>
        </>
      )}
    </Panel>
  );
}

/** As webhooks with the payload `compact` get it. */
const bodyOf = ({ kind, createdAt, data }: Event) => ({ event: kind, created_at: createdAt, data });

/** The request of the API that returns the event. */
const curlOf = ({ id }: Event): string =>
  `curl '${gatewayUrl}/v1/events/${id}' -H "Authorization: Bearer $KEY"`;
