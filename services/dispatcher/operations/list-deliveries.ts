import {
  deliveryCursor,
  encodeId,
  type Fault,
  invalidFields,
  uuidOf,
  type FieldError,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Answer, Call } from '@roster/bus';
import type { SessionHandler, Statement } from '@roster/storage';
import { deliveryColumns, listedDelivery, type DeliveryRow } from './delivery-row.js';
import { endOfIds, momentId, startOfIds } from '../delivery/delivery.js';
import { refusalOfWebhook } from './require-webhook.js';
import { joinQueue } from '../queue/queue-table.js';
import type { DispatcherService } from '../service.js';

type ListDeliveries = Operations['deliveries.list'];
type ListCall = Call<InputOf<ListDeliveries>>;
type Page = OutputOf<ListDeliveries>;

/** Runs one statement for all calls of the batch with the same status and direction. Pages are newest first, from either end. */
export const listDeliveries =
  ({ database, subscriptions }: DispatcherService): SessionHandler<ListDeliveries> =>
  async (calls) => {
    const answers: Answer<Page>[] = [];
    const groups = new Map<string, { call: ListCall; index: number }[]>();
    const checks = await Promise.all(calls.map((call) => refusalOf(call, subscriptions)));
    for (const [index, call] of calls.entries()) {
      const refusal = checks[index];
      if (refusal) {
        answers[index] = refusal;
        continue;
      }
      const { name } = select(call.input);
      const group = groups.get(name);
      if (group) group.push({ call, index });
      else groups.set(name, [{ call, index }]);
    }
    for (const group of groups.values()) {
      const pages = await read(
        database,
        group.map(({ call }) => call),
      );
      for (const [at, { index }] of group.entries()) answers[index] = pages[at]!;
    }
    return answers;
  };

async function refusalOf(
  { input, caller }: ListCall,
  subscriptions: DispatcherService['subscriptions'],
): Promise<Fault | undefined> {
  const errors: FieldError[] = [];
  for (const name of ['after', 'before'] as const) {
    const cursor = input[name];
    if (cursor !== undefined && deliveryCursor.uuid(cursor) === undefined)
      errors.push({ pointer: `/${name}`, message: 'must be a cursor' });
  }
  if (errors.length > 0) return invalidFields(errors);
  return refusalOfWebhook(subscriptions, caller, input.webhookId);
}

/** Returns the pages of calls with the same statement, in their order. */
async function read(
  database: DispatcherService['database'],
  calls: readonly ListCall[],
): Promise<Page[]> {
  const inputs = calls.map(({ input }) => input);
  const idOf = (cursor: string | undefined) =>
    cursor === undefined ? null : deliveryCursor.uuid(cursor)!;
  const rows = await database.query<PageRow>(select(inputs[0]!), [
    calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
    inputs.map(({ webhookId }) => uuidOf('webhook', webhookId)),
    inputs.map(({ since }) => momentId(since ?? 0)),
    inputs.map(({ until }) => (until === undefined ? endOfIds : momentId(until))),
    inputs.map(({ after }) => idOf(after)),
    inputs.map(({ before }) => idOf(before)),
    inputs.map(({ kind }) => kind ?? null),
    // One more than requested: whether there are further ones.
    inputs.map(({ limit }) => limit + 1),
  ]);
  const pages = inputs.map(() => [] as PageRow[]);
  for (const row of rows) pages[row.n - 1]!.push(row);
  return pages.map((page, index) => pageOf(page, inputs[index]!));
}

function pageOf(rows: readonly PageRow[], { limit, from }: InputOf<ListDeliveries>): Page {
  const { beyond_after: beyondAfter, beyond_before: beyondBefore } = rows[0]!;
  const found = rows.filter(({ matches }) => matches);
  const fromEnd = from === 'oldest';
  // One more than requested may have been read: the newest, if the page was read from the oldest.
  const shown = fromEnd ? found.slice(-limit) : found.slice(0, limit);
  const deliveries = shown.map(listedDelivery);
  const isFull = found.length > limit;
  // If the statement read its maximum before the page was full, the next page begins where it ended.
  const last = isFull ? undefined : rows.find(({ nth }) => nth === readMax);
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
 * Deliveries of a webhook that a statement reads for one page. A page with a filter that few deliveries match ends there, and is
 * shorter: no index contains the kinds, because it would add a third to the cost of recording a delivery.
 */
export const readMax = 5000;

/**
 * The status is part of the text, or the planner could not use the partial index on deliveries that are not delivered; so is the
 * direction, in which the index is read.
 */
function select({ status, from }: Pick<InputOf<ListDeliveries>, 'status' | 'from'>): Statement {
  const matches = `(requested.kind is null or d.kind = requested.kind)
    ${status === undefined ? '' : `and d.status = '${status}'`}`;
  const read = (condition: string, direction: 'asc' | 'desc') => `
    select d.*, ${matches} as matches from (
      select d.*, (row_number() over (order by d.id ${direction}))::int as nth from dispatcher.deliveries d
      where d.workspace_id = requested.workspace_id and d.webhook_id = requested.webhook_id
        and d.id >= requested.since and d.id < requested.until and ${condition}
        ${status === undefined || status === 'delivered' ? '' : `and d.status <> 'delivered'`}
      order by d.id ${direction} limit ${readMax}
    ) d where (${matches}) or d.nth = ${readMax}`;
  const direction = from === 'oldest' ? 'asc' : 'desc';
  return {
    name: `dispatcher.list-${status ?? 'all'}-${from}`,
    text: `
      select requested.n::int,
        requested.after is not null and exists (${read('d.id >= requested.after', 'asc')}) as beyond_after,
        requested.before is not null and exists (${read('d.id <= requested.before', 'desc')}) as beyond_before,
        page.*
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::int[])
          with ordinality as requested (workspace_id, webhook_id, since, until, after, before, kind, row_limit, n)
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
