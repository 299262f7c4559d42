import type { Call } from '@roster/bus';
import {
  deliveryCursor,
  encodeId,
  Fault,
  operations,
  type CallInputOf,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { IdClock } from '@roster/process';
import { callAs } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { readMax } from '../../operations/delivery-pages.js';
import { listDeliveries } from '../../operations/list-deliveries.js';
import { Partitions } from '../../queue/partitions.js';
import type { DispatcherService } from '../../service.js';
import { dispatcherDatabase } from '../dispatcher-database.js';

type ListDeliveries = Operations['deliveries.list'];
type Wish = Omit<CallInputOf<ListDeliveries>, 'webhookId'>;

const ids = new IdClock();
const statuses = ['delivered', 'delivered', 'dead', 'pending', 'skipped'];

/** Webhooks with deliveries, and the handler that lists them. Records the statements. */
async function withDeliveries(t: ExecutionContext, { webhooks = 1, deliveries = 20 } = {}) {
  const statements: string[] = [];
  const observe = (statement: string) => void statements.push(statement);
  const database = await dispatcherDatabase(t, { observe });
  await new Partitions(database, 30).prepare();
  const workspace = ids.next();
  const known = Array.from({ length: webhooks }, () => ({ uuid: ids.next(), rows: [] as Row[] }));
  for (let n = 0; n < deliveries; n += 1) {
    for (const { rows } of known)
      rows.unshift({ uuid: ids.next(), status: statuses[n % statuses.length]! });
  }
  const all = known.flatMap(({ uuid, rows }) => rows.map((row) => ({ ...row, webhook: uuid })));
  await database.query(insert, [
    workspace,
    all.map(({ uuid }) => uuid),
    all.map(({ webhook }) => webhook),
    all.map(({ status }) => status),
  ]);
  const subscriptions = {
    one: async (_: string, id: string) => (known.some(({ uuid }) => uuid === id) ? {} : undefined),
  };
  const handle = listDeliveries({ database, subscriptions } as unknown as DispatcherService);
  const list = async (wishes: readonly [webhook: string, wish: Wish][]) => {
    const calls = wishes.map(([webhook, wish]): Call<InputOf<ListDeliveries>> => {
      const input = { webhookId: encodeId('webhook', webhook), ...wish };
      return {
        ...callAs({ workspaceId: encodeId('workspace', workspace) }),
        input: operations['deliveries.list'].input.parse(input),
      };
    });
    return (await handle(calls, database)) as (OutputOf<ListDeliveries> | Fault)[];
  };
  return { database, workspace, known, statements, list };
}

interface Row {
  uuid: string;
  status: string;
}

const insert = {
  name: 'test.insert',
  text: `insert into dispatcher.deliveries (workspace_id, id, event_id, webhook_id, kind, status, attempts)
    select $1, id, id, webhook_id, 'CONTACT_CREATED', status, '[]'
    from unnest($2::uuid[], $3::uuid[], $4::text[]) as one (id, webhook_id, status)`,
};

test('reads pages of 50 webhooks with one statement, and each page has the deliveries of its webhook', async (t) => {
  const { known, statements, list } = await withDeliveries(t, { webhooks: 50, deliveries: 4 });
  statements.length = 0;
  const pages = await list(known.map(({ uuid }) => [uuid, { limit: 3 }]));
  t.is(statements.length, 1);
  for (const [index, page] of pages.entries()) {
    t.deepEqual(
      (page as OutputOf<ListDeliveries>).deliveries.map(({ id }) => id),
      known[index]!.rows.slice(0, 3).map(({ uuid }) => encodeId('delivery', uuid)),
    );
  }
});

test('a page contains the deliveries between the cursors, from either end, and shows whether there are others', async (t) => {
  const { known, list } = await withDeliveries(t);
  const { uuid: webhook, rows } = known[0]!;
  const cursorOf = (row: Row | undefined) =>
    row && deliveryCursor.of(encodeId('delivery', row.uuid));
  const wishes: Wish[] = [];
  for (const from of ['newest', 'oldest'] as const)
    for (const limit of [1, 3, 100])
      for (const status of [undefined, 'delivered', 'dead'] as const)
        for (const after of [undefined, 0, 7, 19])
          for (const before of [undefined, 0, 9, 19]) {
            const cursors = { after: cursorOf(rows[after!]), before: cursorOf(rows[before!]) };
            wishes.push({
              from,
              limit,
              ...(status && { status }),
              ...(cursors.after && { after: cursors.after }),
              ...(cursors.before && { before: cursors.before }),
            });
          }
  // In one batch: calls with the same status and direction share a statement, and answers keep their order.
  const pages = await list(wishes.map((wish) => [webhook, wish]));
  for (const [index, wish] of wishes.entries()) {
    const { from, limit = 50, status, after, before } = wish;
    const matching = rows.filter((row) => !status || row.status === status);
    const at = (cursor: string | undefined) =>
      cursor === undefined ? undefined : rows.findIndex((row) => cursorOf(row) === cursor);
    const between = matching.filter((row) => {
      const position = rows.indexOf(row);
      return position > (at(after) ?? -1) && position < (at(before) ?? rows.length);
    });
    const shown = from === 'oldest' ? between.slice(-limit) : between.slice(0, limit);
    const [first, last] = [shown[0], shown.at(-1)];
    const page = pages[index] as OutputOf<ListDeliveries>;
    const message = JSON.stringify(wish);
    t.deepEqual(
      page.deliveries.map(({ id }) => id),
      shown.map(({ uuid }) => encodeId('delivery', uuid)),
      message,
    );
    t.deepEqual(
      page.pagination,
      {
        limit,
        next: last && last !== matching.at(-1) ? cursorOf(last)! : null,
        previous: first && first !== matching[0] ? cursorOf(first)! : null,
      },
      message,
    );
  }
});

test('an invalid call does not fail the others of its batch', async (t) => {
  const { known, list } = await withDeliveries(t, { deliveries: 2 });
  const { uuid } = known[0]!;
  const [wrong, both, unknown, right] = await list([
    [uuid, { after: 'junk' }],
    [uuid, { after: 'junk', before: 'junk' }],
    [ids.next(), {}],
    [uuid, {}],
  ]);
  t.like((wrong as Fault).details, { errors: [{ pointer: '/after' }] });
  t.is((both as Fault).details.errors?.length, 2);
  t.is((unknown as Fault).code, 'not_found');
  t.is((right as OutputOf<ListDeliveries>).deliveries.length, 2);
});

test('a page with a filter ends after a bounded number of deliveries, and the following pages contain the rest', async (t) => {
  const { database, workspace, known, list } = await withDeliveries(t, { deliveries: 1 });
  const { uuid: webhook, rows } = known[0]!;
  const more = Array.from({ length: 2 * readMax + 10 }, () => ids.next());
  const statusOf = (index: number) => (index % 2 === 0 ? 'skipped' : 'delivered');
  await database.query(insert, [
    workspace,
    more,
    more.map(() => webhook),
    more.map((_, index) => statusOf(index)),
  ]);
  const oldest = encodeId('delivery', rows[0]!.uuid);
  const newest = encodeId('delivery', more.at(-1)!);
  const text = `update dispatcher.deliveries set kind = 'CONTACT_DELETED', status = 'dead' where id = any ($1::uuid[])`;
  await database.query({ name: 'test.mark', text }, [[rows[0]!.uuid, more.at(-1)]]);
  const pagesOf = async (wish: Wish) => {
    const pages: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const position = cursor && (wish.from === 'oldest' ? { before: cursor } : { after: cursor });
      const [page] = await list([[webhook, { ...wish, ...position, limit: 1 }]]);
      const { deliveries, pagination } = page as OutputOf<ListDeliveries>;
      pages.push(deliveries.map(({ id }) => id));
      cursor = wish.from === 'oldest' ? pagination.previous : pagination.next;
    } while (cursor);
    return pages;
  };
  for (const filter of [{ kind: 'CONTACT_DELETED' }, { status: 'dead' }] as const) {
    const [down, up] = [await pagesOf(filter), await pagesOf({ ...filter, from: 'oldest' })];
    t.deepEqual(
      [down.flat(), up.flat()],
      [
        [newest, oldest],
        [oldest, newest],
      ],
      JSON.stringify(filter),
    );
    // Half of the deliveries are delivered, which the search for dead ones does not read.
    t.is(down.length, 'kind' in filter ? 3 : 2);
  }
});
