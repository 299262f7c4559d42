import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams, useSearch, useSearchParams } from 'wouter';
import { eventKinds, kindName } from '../../data/kinds.js';
import type { EventKind } from '../../data/live.graphql.js';
import type { LiveEvent } from '../../data/live.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Copy } from '../../parts/copy.js';
import { Choice, Filters } from '../../parts/filters.js';
import { counted } from '../../parts/number.js';
import { Empty, Page } from '../../parts/page.js';
import { Split } from '../../parts/split.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { News } from '../../parts/news.js';
import { EventPanel } from './event-panel.js';
import styles from './events.module.css';
import { useEventLog } from './use-event-log.js';

/** Further below, the list does not move when an event arrives. */
const topPx = 40;

/** Everything that changes in the workspace, as it happens. */
export function Events() {
  const { id } = useParams();
  const [, navigate] = useLocation();
  const search = useSearch();
  const [parameters, setParameters] = useSearchParams();
  const kind = parameters.get('kind') ?? '';
  const contactId = parameters.get('contact');
  const [isPaused, setPaused] = useState(false);
  const { list, waiting, show } = useEventLog(
    kind ? [kind as EventKind] : null,
    contactId,
    () => isPaused || id !== undefined || window.scrollY > topPx,
  );
  const set = (name: string, value: string) =>
    setParameters(
      (old) => {
        const next = new URLSearchParams(old);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const resume = () => {
    setPaused(false);
    show();
  };
  const isEmpty = !list.isLoading && !list.error && list.count === 0;
  return (
    <Split
      list={
        <Page
          title="Events"
          summary={
            isPaused
              ? `Paused. ${waiting === 0 ? 'Nothing' : counted(waiting, 'event')} arrived meanwhile.`
              : 'Everything that changes in this workspace, as it happens.'
          }
          actions={
            <Button
              icon={isPaused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
              data-key="p"
              title={`${isPaused ? 'Resume' : 'Pause'} (p)`}
              onClick={() => (isPaused ? resume() : setPaused(true))}
            >
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
          }
        >
          <Filters>
            <Choice
              label="Event"
              value={kind}
              options={[
                ['', 'Any event'],
                ...eventKinds.map((one) => [one, kindName(one)] as const),
              ]}
              onChange={(value) => set('kind', value)}
            />
            {contactId && (
              <Button onClick={() => set('contact', '')}>Of one contact: show all</Button>
            )}
          </Filters>
          <div>
            {waiting > 0 && !isPaused && <News text={`${waiting} new`} onShow={show} />}
            {isEmpty ? (
              kind || contactId ? (
                <Empty title="No such event">
                  <p>Events are kept for 30 days unless the operator has set another time.</p>
                  {list.hasMore && <Button onClick={list.loadMore}>Look further back</Button>}
                </Empty>
              ) : (
                <NoEvents />
              )
            ) : (
              <Table
                label="Events"
                columns={columns}
                list={list}
                openId={id}
                onOpen={(row) => navigate(`/events/${row.id}${search && `?${search}`}`)}
                nameOf={(row) => `${kindName(row.kind)} ${subjectOf(row)}`}
              />
            )}
          </div>
        </Page>
      }
      panel={
        id === undefined ? undefined : (
          <EventPanel
            key={id}
            id={id}
            onClose={() => navigate(`/events${search && `?${search}`}`)}
          />
        )
      }
    />
  );
}

const trigger = 'npm run roster -- trigger CONTACT_CREATED';

const NoEvents = () => (
  <Empty title="Nothing has happened yet">
    <p>
      An event appears here when a contact is created, updated or deleted, an import ends, or a
      member joins. This makes one:
    </p>
    <div className={styles.command}>
      <code>{trigger}</code>
      <Copy text={trigger} what="command" />
    </div>
  </Empty>
);

/** Whom or what an event is about. */
function subjectOf(event: LiveEvent): string {
  if ('contact' in event) return event.contact.email;
  if ('user' in event) return event.user.email;
  if ('apiKey' in event) return event.apiKey.name;
  if ('delivery' in event) return `${event.webhook.id}: ${event.delivery.reason}`;
  if ('webhook' in event) {
    const { id, description, disabledReason } = event.webhook;
    return [description ?? id, disabledReason].filter(Boolean).join(': ');
  }
  if ('action' in event) {
    const { dryRun, matched, changed, failed } = event.action;
    return `${dryRun ? 'Dry run: ' : ''}${matched.toLocaleString()} matched, ${changed.toLocaleString()} changed, ${failed.toLocaleString()} refused`;
  }
  if (!('import' in event)) return '';
  const { created, updated, failed } = event.import;
  return `${created.toLocaleString()} created, ${updated.toLocaleString()} updated, ${failed.toLocaleString()} refused`;
}

/** How the job ended that an event is about. */
function endOf(event: LiveEvent): string {
  if ('import' in event) return event.import.status;
  return 'action' in event ? event.action.status : 'COMPLETED';
}

const nameIn = (event: LiveEvent): string =>
  ('contact' in event && event.contact.name) || ('user' in event && event.user.name) || '';

const columns: Column<LiveEvent>[] = [
  {
    key: 'event',
    label: 'Event',
    width: 'minmax(0, 2fr)',
    render: (event) => (
      <>
        <span className={styles.kind}>
          {kindName(event.kind)}
          {endOf(event) !== 'COMPLETED' && <Badge kind="warn">{endOf(event).toLowerCase()}</Badge>}
        </span>
        <span className={styles.narrow}>
          <bdi>{subjectOf(event)}</bdi>
        </span>
      </>
    ),
  },
  {
    key: 'subject',
    label: 'About',
    width: 'minmax(0, 3fr)',
    from: 560,
    render: (event) => (
      <>
        {nameIn(event) && <bdi className={styles.name}>{nameIn(event)}</bdi>}{' '}
        <bdi className={styles.quiet}>{subjectOf(event)}</bdi>
      </>
    ),
  },
  {
    key: 'created',
    label: 'Time',
    width: '120px',
    align: 'end',
    render: ({ createdAt }) => <Time at={createdAt} />,
  },
];
