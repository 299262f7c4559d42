import {
  countedDeliveriesMax,
  deliveryCursor,
  encodeId,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import { endOfIds, startOfIds, type DeliveryStatus } from '../delivery/delivery.js';
import { joinQueue } from '../queue/queue-table.js';
import { deliveryColumns, listedDelivery, type DeliveryRow } from './delivery-row.js';

/** What a list of deliveries contains, and the page of it. Raw IDs, except that of the contact. */
export interface Search {
  workspaceId: string;
  /** Null for the deliveries of all webhooks. */
  webhookId: string | null;
  statuses: readonly DeliveryStatus[] | undefined;
  kinds: readonly string[] | undefined;
  /** The first and the last status code of the last attempt. 0: it had no response. */
  codes: readonly [number, number] | undefined;
  contactId: string | undefined;
  /** First ID, and the one after the last. */
  since: string;
  until: string;
  after: string | null;
  before: string | null;
  from: 'newest' | 'oldest';
  limit: number;
}

type Page = OutputOf<Operations['deliveries.list']>;
type Totals = NonNullable<OutputOf<Operations['workspace-deliveries.list']>['totals']>;

/**
 * Deliveries that a statement reads for one page. A page with a filter that few deliveries match ends there, and is shorter: no index
 * contains the kinds, contacts or results, because it would add a third to the cost of recording a delivery.
 */
export const readMax = 5000;
/** The same for filters that look into the attempts, which may be large, or the event of each delivery. */
export const lookedIntoMax = 1000;

/** Returns the pages of searches with the same statement, in their order. */
export async function readPages(
  session: Pick<Session, 'query'>,
  searches: readonly Search[],
): Promise<Page[]> {
  const statement = select(searches[0]!);
  const rows = await session.query<PageRow>(statement, [
    ...filterValues(searches),
    searches.map(({ after }) => after),
    searches.map(({ before }) => before),
    // One more than requested: whether there are further ones.
    searches.map(({ limit }) => limit + 1),
  ]);
  const pages = searches.map(() => [] as PageRow[]);
  for (const row of rows) pages[row.n - 1]!.push(row);
  return pages.map((page, index) => pageOf(page, searches[index]!));
}

/** Values of `filterColumns`. */
const filterValues = (searches: readonly Search[]): unknown[] => [
  searches.map(({ workspaceId }) => workspaceId),
  searches.map(({ webhookId }) => webhookId),
  searches.map(({ since }) => since),
  searches.map(({ until }) => until),
  searches.map(({ statuses }) => statuses?.join(' ') ?? null),
  searches.map(({ kinds }) => kinds?.join(' ') ?? null),
  searches.map(({ codes }) => codes?.[0] ?? null),
  searches.map(({ codes }) => codes?.[1] ?? null),
  // As it stands in the body of the event: quotes within strings are escaped there.
  searches.map(({ contactId }) => (contactId === undefined ? null : `"id":"${contactId}"`)),
];

const filterColumns =
  'workspace_id, webhook_id, since, until, statuses, kinds, first_code, last_code, contact';
const filterTypes = ['uuid', 'uuid', 'uuid', 'uuid', 'text', 'text', 'int', 'int', 'text'];
const filterParameters = filterTypes.map((type, index) => `$${index + 1}::${type}[]`).join(', ');

function pageOf(rows: readonly PageRow[], search: Search): Page {
  const { limit, from } = search;
  const { beyond_after: beyondAfter, beyond_before: beyondBefore } = rows[0]!;
  const found = rows.filter(({ matches }) => matches);
  const fromEnd = from === 'oldest';
  // One more than requested may have been read: the newest, if the page was read from the oldest.
  const shown = fromEnd ? found.slice(-limit) : found.slice(0, limit);
  const deliveries = shown.map(listedDelivery);
  const isFull = found.length > limit;
  // If the statement read its maximum before the page was full, the next page begins where it ended.
  const last = isFull ? undefined : rows.find(({ nth }) => nth === readMaxOf(search));
  const end = last && encodeId('delivery', last.id);
  const [newest, oldest] = [deliveries[0]?.id, deliveries.at(-1)?.id];
  const hasMore = isFull || end !== undefined;
  const cursorOf = (id: string | undefined, isThereMore: boolean) =>
    id !== undefined && isThereMore ? deliveryCursor.of(id) : null;
  return {
    deliveries,
    pagination: {
      limit,
      next: cursorOf(
        fromEnd ? (oldest ?? end) : (end ?? oldest),
        beyondBefore || (hasMore && !fromEnd),
      ),
      previous: cursorOf(
        fromEnd ? (end ?? newest) : (newest ?? end),
        beyondAfter || (hasMore && fromEnd),
      ),
    },
  };
}

/** `nth`: number of deliveries read for the page so far. The last one read may not match. Nulls if none was read. */
type PageRow = DeliveryRow & {
  n: number;
  matches: boolean | null;
  nth: number | null;
  /** Whether there may be deliveries beyond the cursors: newer than `after` allows, older than `before` allows. */
  beyond_after: boolean;
  beyond_before: boolean;
};

/**
 * The parts of a search that make its statement: in the text of it, because the planner could not use the partial indexes on
 * deliveries that are not delivered otherwise.
 */
function partsOf({ webhookId, statuses, codes, contactId }: Search) {
  // The last attempt of a delivered one was answered with 2xx.
  const isUndelivered =
    (statuses !== undefined && !statuses.includes('delivered')) ||
    (codes !== undefined && (codes[0] >= 300 || codes[1] < 200));
  return {
    ofWebhook: webhookId !== null,
    isUndelivered,
    withCodes: codes !== undefined,
    withContact: contactId !== undefined,
  };
}

export const statementName = (search: Search): string => {
  const { ofWebhook, isUndelivered, withCodes, withContact } = partsOf(search);
  return [
    `dispatcher.list${ofWebhook ? '' : '-all'}`,
    ...(isUndelivered ? ['undelivered'] : []),
    ...(withCodes ? ['codes'] : []),
    ...(withContact ? ['contact'] : []),
    search.from,
  ].join('-');
};

const looksInto = ({ codes, contactId }: Search): boolean =>
  codes !== undefined || contactId !== undefined;

const readMaxOf = (search: Search): number => (looksInto(search) ? lookedIntoMax : readMax);

/** The conditions on a delivery `d`: those that an index answers, and those that are checked for each delivery that is read. */
function conditionsOf(search: Search): { read: string; matches: string } {
  const { ofWebhook, withCodes, withContact } = partsOf(search);
  return {
    read: `d.workspace_id = requested.workspace_id ${ofWebhook ? 'and d.webhook_id = requested.webhook_id' : ''}
      and d.id >= requested.since and d.id < requested.until`,
    matches: [
      `(requested.kinds is null or d.kind = any (string_to_array(requested.kinds, ' ')))`,
      ...(withCodes ? [`${lastCode} between requested.first_code and requested.last_code`] : []),
      ...(withContact ? [isAboutContact] : []),
    ].join(' and '),
  };
}

const isOfStatus = `(requested.statuses is null or d.status = any (string_to_array(requested.statuses, ' ')))`;
/** 0: no response. Null without attempts. */
const lastCode = `case when d.attempts <> '[]' then coalesce((d.attempts -> -1 ->> 'statusCode')::int, 0) end`;
/** A sub-select, so that PostgreSQL looks each event up in the primary key. */
const isAboutContact = `(select strpos(e.body, requested.contact) > 0 from dispatcher.events e
  where e.workspace_id = d.workspace_id and e.id = d.event_id)`;
const isUndelivered = `and d.status <> 'delivered'`;

function select(search: Search): Statement {
  const parts = partsOf(search);
  const conditions = conditionsOf(search);
  const max = readMaxOf(search);
  const matches = `coalesce(${isOfStatus} and ${conditions.matches}, false)`;
  const read = (condition: string, direction: 'asc' | 'desc') => `
    select d.*, ${matches} as matches from (
      select d.*, (row_number() over (order by d.id ${direction}))::int as nth from dispatcher.deliveries d
      where ${conditions.read} and ${condition} ${parts.isUndelivered ? isUndelivered : ''}
      order by d.id ${direction} limit ${max}
    ) d where (${matches}) or d.nth = ${max}`;
  const direction = search.from === 'oldest' ? 'asc' : 'desc';
  return {
    name: statementName(search),
    text: `
      select requested.n::int,
        requested.after is not null and exists (${read('d.id >= requested.after', 'asc')}) as beyond_after,
        requested.before is not null and exists (${read('d.id <= requested.before', 'desc')}) as beyond_before,
        page.*
      from unnest(${filterParameters}, $10::uuid[], $11::uuid[], $12::int[])
          with ordinality as requested (${filterColumns}, after, before, row_limit, n)
        left join lateral (
          select ${deliveryColumns}, d.matches, d.nth
          from (
            ${read(
              `d.id < coalesce(requested.after, '${endOfIds}') and d.id > coalesce(requested.before, '${startOfIds}')`,
              direction,
            )}
            order by d.id ${direction} limit requested.row_limit
          ) d ${joinQueue}
        ) page on true
      order by requested.n, page.id desc`,
  };
}

/** Counts the deliveries of a search by their status, whatever statuses it has: the newest ones, and the newest undelivered ones. */
export async function countDeliveries(
  session: Pick<Session, 'query'>,
  search: Search,
): Promise<Totals> {
  const { statement, max } = count(search);
  const [row] = await session.query<CountRow>(statement, filterValues([search]));
  const { pending, delivered, dead, skipped, read, undelivered } = row!;
  return { pending, delivered, dead, skipped, isEstimate: read === max || undelivered === max };
}

interface CountRow extends Omit<Totals, 'isEstimate'> {
  /** Number of deliveries that were read, of all and of those that are not delivered. */
  read: number;
  undelivered: number;
}

function count(search: Search): { statement: Statement; max: number } {
  const { ofWebhook, withCodes, withContact } = partsOf(search);
  const conditions = conditionsOf(search);
  const max = countedDeliveriesMax[looksInto(search) ? 'lookedInto' : 'plain'];
  const newest = (condition = '') => `
    select d.status, (${conditions.matches}) as matches from (
      select d.* from dispatcher.deliveries d where ${conditions.read} ${condition} order by d.id desc limit ${max}
    ) d`;
  const of = (status: DeliveryStatus) =>
    `(count(*) filter (where matches and status = '${status}'))::int as ${status}`;
  const parts = [ofWebhook && 'webhook', withCodes && 'codes', withContact && 'contact'];
  const name = ['dispatcher.count', ...parts.filter((part) => part !== false)].join('-');
  return {
    max,
    statement: {
      name,
      text: `
        select newest.*, others.*
        from unnest(${filterParameters}) as requested (${filterColumns}),
          lateral (select ${of('delivered')}, count(*)::int as read from (${newest()}) d) newest,
          lateral (
            select ${of('pending')}, ${of('dead')}, ${of('skipped')}, count(*)::int as undelivered
            from (${newest(isUndelivered)}) d
          ) others`,
    },
  };
}
