import {
  countedDeliveriesMax,
  encodeId,
  Fault,
  operations,
  type CallInputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { IdClock } from '@roster/process';
import { sqlOf } from '@roster/storage';
import { callAs } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { handlers } from '../../handlers.js';
import { migrations } from '../../migrations/index.js';
import { lookedIntoMax } from '../../operations/delivery-pages.js';
import { Partitions } from '../../queue/partitions.js';
import type { DispatcherService } from '../../service.js';
import { dispatcherDatabase } from '../dispatcher-database.js';

type ListDeliveries = Operations['workspace-deliveries.list'];
type Wish = CallInputOf<ListDeliveries>;
type Page = OutputOf<ListDeliveries>;

const ids = new IdClock();

/** A stored delivery. Raw IDs. */
interface Row {
  id: string;
  webhook: string;
  contact: string;
  kind: string;
  status: 'pending' | 'delivered' | 'dead' | 'skipped';
  /** Status of its last attempt. Null: no response. Undefined: no attempt. */
  code?: number | null;
}

const results: Pick<Row, 'status' | 'code'>[] = [
  { status: 'delivered', code: 200 },
  { status: 'delivered', code: 204 },
  { status: 'dead', code: 404 },
  { status: 'dead', code: null },
  { status: 'pending', code: 500 },
  { status: 'pending' },
  { status: 'skipped' },
];
const kinds = ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_DELETED'];

async function open(t: ExecutionContext) {
  const database = await dispatcherDatabase(t);
  await new Partitions(database, 30).prepare();
  const handle = handlers({ database, sourceAddresses: [] } as unknown as DispatcherService)[
    'workspace-deliveries.list'
  ];
  const [workspace, other] = [ids.next(), ids.next()];
  const insertRows = (owner: string, rows: readonly Row[]) =>
    database.query(insert, [
      owner,
      rows.map(({ id }) => id),
      rows.map(({ webhook }) => webhook),
      rows.map(({ kind }) => kind),
      rows.map(({ status }) => status),
      rows.map(({ code }) =>
        JSON.stringify(
          code === undefined
            ? []
            : [
                { statusCode: 503, error: 'The receiver answered 503.', totalMs: 1 },
                { statusCode: code, error: code === 200 ? null : 'No.', totalMs: 7.5 },
              ],
        ),
      ),
      rows.map(({ contact }) =>
        JSON.stringify({
          ...{ event: 'CONTACT_CREATED', created_at: '2026-01-31T09:00:00Z' },
          data: { contact: { id: encodeId('contact', contact), email: `${contact}@example.com` } },
        }),
      ),
    ]);
  const list = async (wish: Wish, owner = workspace) => {
    const [answer] = await handle([
      {
        ...callAs({ workspaceId: encodeId('workspace', owner) }),
        input: operations['workspace-deliveries.list'].input.parse(wish),
      },
    ]);
    return answer as Page | Fault;
  };
  return { database, workspace, other, insertRows, list };
}

const insert = {
  name: 'test.insert-with-events',
  text: `
    with rows as (
      select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::text[])
        as one (id, webhook_id, kind, status, attempts, body)
    ), stored as (
      insert into dispatcher.events (workspace_id, id, kind, body) select $1, id, kind, body from rows
    )
    insert into dispatcher.deliveries (workspace_id, id, event_id, webhook_id, kind, status, attempts)
    select $1, id, id, webhook_id, kind, status, attempts from rows`,
};

const shownIds = (page: Page | Fault) => (page as Page).deliveries.map(({ id }) => id);
const isOfCode = ({ code }: Row, wanted: string) =>
  code !== undefined &&
  (wanted === 'none'
    ? code === null
    : wanted.endsWith('xx')
      ? String(code)[0] === wanted[0]
      : String(code) === wanted);

test('a list has the deliveries of all webhooks of the workspace that match all filters, newest first, and its totals those of every status', async (t) => {
  const { workspace, other, insertRows, list } = await open(t);
  const [webhooks, contacts] = [
    [ids.next(), ids.next(), ids.next()],
    [ids.next(), ids.next()],
  ];
  const rows = Array.from({ length: 84 }, (_, n): Row => ({
    ...{ id: ids.next(), webhook: webhooks[n % 3]!, contact: contacts[n % 2]! },
    ...{ kind: kinds[(n >> 1) % 3]!, ...results[n % results.length]! },
  }));
  await insertRows(workspace, rows);
  await insertRows(
    other,
    rows.map((row) => ({ ...row, id: ids.next() })),
  );
  const none: [Wish, (row: Row) => boolean][] = [[{}, () => true]];
  const filters: [Wish, (row: Row) => boolean][][] = [
    [...none, [{ webhookId: encodeId('webhook', webhooks[1]!) }, (r) => r.webhook === webhooks[1]]],
    [
      ...none,
      [{ status: ['dead'] }, (r) => r.status === 'dead'],
      [{ status: ['pending', 'delivered'] }, (r) => /pending|delivered/.test(r.status)],
    ],
    [
      ...none,
      [{ kind: ['CONTACT_CREATED', 'CONTACT_DELETED'] }, (r) => r.kind !== 'CONTACT_UPDATED'],
    ],
    [
      ...none,
      ...['404', '2xx', '5xx', 'none'].map((statusCode): [Wish, (row: Row) => boolean] => [
        { statusCode },
        (row) => isOfCode(row, statusCode),
      ]),
    ],
    [...none, [{ contactId: encodeId('contact', contacts[1]!) }, (r) => r.contact === contacts[1]]],
  ];
  const combinations = filters.reduce<(readonly [Wish, (row: Row) => boolean])[]>(
    (all, some) =>
      all.flatMap(([wish, matches]) =>
        some.map(
          ([more, also]) =>
            [{ ...wish, ...more }, (row: Row) => matches(row) && also(row)] as const,
        ),
      ),
    none,
  );
  for (const [wish, matches] of combinations) {
    const expected = rows
      .filter(matches)
      .map(({ id }) => encodeId('delivery', id))
      .toReversed();
    const message = JSON.stringify(wish);
    t.deepEqual(shownIds(await list({ ...wish, limit: 100 })), expected, message);
    const last = await list({ ...wish, limit: 3, from: 'oldest', totals: true });
    t.deepEqual(shownIds(last), expected.slice(-3), message);
    const { status: _, ...others } = wish;
    const counted = rows.filter(combinations.find(([one]) => isSame(one, others))![1]);
    const countOf = (status: Row['status']) => counted.filter((r) => r.status === status).length;
    t.deepEqual(
      (last as Page).totals,
      {
        ...{ pending: countOf('pending'), delivered: countOf('delivered') },
        ...{ dead: countOf('dead'), skipped: countOf('skipped'), isEstimate: false },
      },
      message,
    );
  }
  const [newest] = ((await list({ limit: 1 })) as Page).deliveries;
  t.like(newest, {
    subject: {
      contactId: encodeId('contact', rows.at(-1)!.contact),
      email: `${rows.at(-1)!.contact}@example.com`,
    },
    lastStatusCode: null,
    lastTotalMs: null,
  });
  t.is(((await list({})) as Page).totals, null);
  t.deepEqual(shownIds(await list({}, ids.next())), []);
});

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

test('pages follow one another in both directions, and a filter that looks into deliveries continues where a page ended', async (t) => {
  const { workspace, insertRows, list } = await open(t);
  const [webhook, contact, rare] = [ids.next(), ids.next(), ids.next()];
  const count = lookedIntoMax * 2 + 50;
  const rows = Array.from({ length: count }, (_, n): Row => ({
    ...{ id: ids.next(), webhook, kind: 'CONTACT_CREATED', status: 'delivered', code: 200 },
    contact: n === 0 || n === count - 1 ? rare : contact,
  }));
  await insertRows(workspace, rows);
  const wish = { contactId: encodeId('contact', rare), limit: 1 } as const;
  const expected = [rows.at(-1)!, rows[0]!].map(({ id }) => encodeId('delivery', id));
  for (const from of ['newest', 'oldest'] as const) {
    const found: string[] = [];
    let pages = 0;
    let cursor: string | null | undefined;
    do {
      const position = cursor && (from === 'newest' ? { after: cursor } : { before: cursor });
      const page = (await list({ ...wish, ...position, from })) as Page;
      found.push(...shownIds(page));
      pages += 1;
      cursor = from === 'newest' ? page.pagination.next : page.pagination.previous;
    } while (cursor);
    t.deepEqual(found, from === 'newest' ? expected : expected.toReversed());
    t.is(pages, 3);
  }
  const { totals } = (await list({ ...wish, totals: true })) as Page;
  t.like(totals, { delivered: 1, isEstimate: true });
  t.is(countedDeliveriesMax.lookedInto, lookedIntoMax);
});

test('refuses a cursor that is none', async (t) => {
  const { list } = await open(t);
  const wrong = await t.throwsAsync(list({ after: 'junk', before: 'junk' }), { instanceOf: Fault });
  t.is(wrong.details.errors?.length, 2);
});

test('every partition has the index on deliveries that are not delivered, also those from before it', async (t) => {
  const { database } = await open(t);
  const migrate = async (statements: readonly string[]) => {
    for (const statement of statements) await database.em.execute(statement);
  };
  const migration = migrations.find(({ name }) => name.endsWith('undelivered-of-workspace'))!;
  const { statements } = await sqlOf(migration);
  // As before the migration, and as after one that was interrupted.
  await migrate(['drop index dispatcher.deliveries_undelivered_of_workspace', ...statements]);
  await migrate(statements);
  const text = `select indisvalid as is_valid from pg_index
    where indexrelid = 'dispatcher.deliveries_undelivered_of_workspace'::regclass`;
  // The index of a partitioned table is valid once all partitions have it.
  t.deepEqual(await database.query({ name: 'test.index', text }, []), [{ is_valid: true }]);
});
