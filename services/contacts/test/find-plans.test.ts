import {
  contactPosition,
  contactSorts,
  contactStatuses,
  nameKey,
  operations,
  uuidOf,
  type CallInputOf,
  type Operations,
} from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { callAs } from '@roster/testing';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { findContacts } from '../operations/contacts/find-contacts.js';
import { searchLimits } from '../reading/search.js';
import { contactsFor, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);
let filled: Promise<string> | undefined;

/** Fills a workspace once, and returns its ID. */
const filledWorkspace = (): Promise<string> => (filled ??= newFilledWorkspace('unsubscribed'));

/** @param rare status of one of 100 contacts */
async function newFilledWorkspace(rare: string): Promise<string> {
  const { database, bus } = running();
  const { id } = newWorkspace(bus);
  const [workspaceId, often] = [
    uuidOf('workspace', id),
    contactStatuses.find((status) => status !== rare),
  ];
  await database.query({ name: 'test.fill', text: fill }, [workspaceId, 20_000, rare, often]);
  await database.query({ name: 'test.define', text: define }, [workspaceId]);
  await database.em.execute('analyze contacts.contacts');
  return id;
}

const define = `
  insert into contacts.contact_properties (workspace_id, id, name, label) values ($1::uuid, gen_random_uuid(), 'city', 'City')`;

const fill = `
  insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, status, created_at)
  select $1::uuid, (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || '7000' || lpad('', 16, '8'))::uuid, n || '@example.com', n || '@example.com',
    case when n % 100 = 0 then 'Ada Lovelace' else 'Grace Hopper' end, jsonb_build_array('tag' || n % 1000),
    jsonb_build_object('city', 'city' || n % 1000), case when n % 100 = 0 then $3 else $4 end,
    created_at
  from generate_series(1, $2::int) n, lateral (select timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute') t (created_at)`;

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Sort Method'?: string;
  Plans?: Plan[];
}

interface Explained {
  'QUERY PLAN': { Plan: Plan }[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The nodes of the plans of all statements that a search sends, by the statement's name: those for any values, as prepared. */
async function plansOf(
  input: Omit<CallInputOf<Operations['contacts.find']>, 'limit'>,
  { analyze = false, limits = searchLimits, workspace = filledWorkspace() } = {},
): Promise<Map<string, Plan[]>> {
  const workspaceId = await workspace;
  const plans = new Map<string, Plan[]>();
  const explaining = {
    async query(statement: Statement, values: readonly unknown[]) {
      const { name, text } = statement;
      // The types of properties: the plan of an empty table says nothing.
      if (name === 'contact-properties.find') return running().database.query(statement, values);
      const { database } = running();
      const [row] = await (analyze
        ? database.query<Explained>(
            { name: `explain ${name}`, text: `explain (analyze, format json) ${text}` },
            values,
          )
        : database.em.execute<Explained[]>(`explain (generic_plan, format json) ${text}`));
      plans.set(name, nodesOf(row!['QUERY PLAN'][0]!.Plan));
      return running().database.query(statement, values);
    },
  } as unknown as Database;
  const parsed = operations['contacts.find'].input.parse({ ...input, limit: 50 });
  await findContacts(
    { ...running().service, database: explaining },
    limits,
  )([{ ...callAs({ workspaceId }), input: parsed }]);
  return plans;
}

const someCursor = contactPosition.ofKey('createdAt', '019b76da-a800-7000-8888-888888888888');
const createdAfter = '2026-01-10T00:00:00Z';

/** Filters, the statement that finds the page or the number, and the index that it must use. */
const cases: [string, Parameters<typeof plansOf>[0], string, string][] = [
  ['email', { email: '77@example.com' }, 'contacts.gather-by-email', 'contacts_email'],
  ['tag', { tag: ['tag7'] }, 'contacts.gather-by-tags', 'contacts_search'],
  ['property', { property: { city: 'city7' } }, 'contacts.gather-by-properties', 'contacts_search'],
  [
    'tag and property',
    { tag: ['tag7'], property: { city: 'city7' } },
    'contacts.gather-by-tags-and-properties',
    'contacts_search',
  ],
  ['any tag', { tag: ['any:tag7,tag8'] }, 'contacts.gather-by-any-tag', 'contacts_search'],
  [
    'any tag, without another one',
    { tag: ['any:tag7,tag8', 'not:tag9'] },
    'contacts.gather-by-any-tag',
    'contacts_search',
  ],
  [
    'any value of a property',
    { property: { city: 'any:city7,city8' } },
    'contacts.gather-by-any-property',
    'contacts_search',
  ],
  [
    'any tag, and any value of a property',
    { tag: ['any:tag7,tag8'], property: { city: 'any:city7,city8' } },
    'contacts.gather-by-any-tag-and-property',
    'contacts_search',
  ],
  [
    'tag, and any value of a property',
    { tag: ['tag7'], property: { city: 'any:city7,city8' } },
    'contacts.gather-by-tags-and-any-property',
    'contacts_search',
  ],
  [
    'any tag, and a property',
    { tag: ['any:tag7,tag8'], property: { city: 'city7' } },
    'contacts.gather-by-any-tag-and-properties',
    'contacts_search',
  ],
  [
    'tag with a property above a value',
    { tag: ['tag7'], property: { city: 'gte:city7' } },
    'contacts.gather-by-tags',
    'contacts_search',
  ],
  ['without a tag', { tag: ['not:tag7'] }, 'contacts.find-in-order', 'contacts_pkey'],
  [
    'number without a tag',
    { tag: ['none:tag7,tag8'] },
    'contacts.count-from-start',
    'contacts_pkey',
  ],
  ['with a tag', { tag: ['exists'] }, 'contacts.find-in-order', 'contacts_pkey'],
  [
    'property above a value',
    { property: { city: 'gt:city7' } },
    'contacts.find-in-order',
    'contacts_pkey',
  ],
  [
    'without a property, by address',
    { property: { city: 'missing' }, sort: 'email' },
    'contacts.find-by-email-order',
    'contacts_email',
  ],
  ['words of names', { q: 'lovelace' }, 'contacts.gather-by-part', 'contacts_search'],
  ['beginnings of names', { q: 'lo' }, 'contacts.gather-by-beginning', 'contacts_search'],
  ['parts of addresses', { q: '1234' }, 'contacts.gather-by-part', 'addresses_parts'],
  ['beginnings of addresses', { q: '12' }, 'contacts.gather-by-beginning', 'contacts_email'],
  ['domains', { q: '@example.com' }, 'contacts.gather-by-part', 'addresses_parts'],
  [
    'unsubscribed',
    { status: 'unsubscribed' },
    'contacts.find-unsubscribed',
    'contacts_unsubscribed',
  ],
  [
    'number of unsubscribed',
    { status: 'unsubscribed' },
    'contacts.count-with-tag',
    'tag_counters_pkey',
  ],
  ['subscribed', { status: 'subscribed' }, 'contacts.find-in-order', 'contacts_pkey'],
  [
    'number of subscribed',
    { status: 'subscribed' },
    'contacts.count-with-tag',
    'tag_counters_pkey',
  ],
  [
    'unsubscribed of a period',
    { status: 'unsubscribed', createdAfter },
    'contacts.find-unsubscribed',
    'contacts_unsubscribed',
  ],
  ['period', { createdAfter }, 'contacts.find-in-order', 'contacts_pkey'],
  ['number of a period', { createdAfter }, 'contacts.count-of-period', 'contacts_pkey'],
  [
    'contacts of a period and a status',
    { createdAfter, status: 'subscribed' },
    'contacts.gather-of-period',
    'contacts_pkey',
  ],
  ['newest first', { sort: '-createdAt' }, 'contacts.find-newest', 'contacts_pkey'],
  ['the last ones', { fromEnd: true }, 'contacts.find-newest', 'contacts_pkey'],
  [
    'the last unsubscribed ones',
    { status: 'unsubscribed', fromEnd: true },
    'contacts.find-newest-unsubscribed',
    'contacts_unsubscribed',
  ],
  [
    'the last addresses',
    { sort: 'email', fromEnd: true },
    'contacts.find-by-last-emails',
    'contacts_email',
  ],
  [
    'the contact at a cursor',
    { after: someCursor, around: true },
    'contacts.match-id',
    'contacts_pkey',
  ],
  [
    'the contact at a cursor of addresses',
    {
      sort: 'email',
      fromEnd: true,
      before: contactPosition.ofKey('email', '77@example.com'),
      around: true,
    },
    'contacts.match-email',
    'contacts_email',
  ],
  [
    'order of changes',
    { sort: 'updatedAt', updatedAfter: createdAfter },
    'contacts.find-in-order-of-changes',
    'contacts_changes',
  ],
  ['last changed first', { sort: '-updatedAt' }, 'contacts.find-last-changed', 'contacts_changes'],
  [
    'number of changes',
    { updatedAfter: createdAfter },
    'contacts.count-changed',
    'contacts_changes',
  ],
  ['order of names', { sort: 'name' }, 'contacts.find-in-order-of-names', 'contacts_names'],
  [
    'the last names',
    { sort: 'name', fromEnd: true },
    'contacts.find-by-last-names',
    'contacts_names',
  ],
  [
    'the contact at a cursor of names',
    {
      sort: 'name',
      fromEnd: true,
      before: contactPosition.ofKey('name', nameKey('Ada', randomUUID())),
      around: true,
    },
    'contacts.match-name',
    'contacts_names',
  ],
  ['order of addresses', { sort: 'email' }, 'contacts.find-by-email-order', 'contacts_email'],
  [
    'tag by address',
    { tag: ['tag7'], sort: 'email' },
    'contacts.gather-by-tags',
    'contacts_search',
  ],
  [
    'tag by property',
    { tag: ['tag7'], sort: 'property:city' },
    'contacts.sort-by-tags',
    'contacts_search',
  ],
  [
    'words of names by property',
    { q: 'lovelace', sort: '-property:city' },
    'contacts.sort-by-part',
    'contacts_search',
  ],
  ['order of a property', { sort: 'property:city' }, 'contacts.sort-workspace', 'contacts_pkey'],
];

for (const [title, input, statement, index] of cases)
  test(`searches use an index and no scan of the table: ${title}`, async (t) => {
    const plans = await plansOf(input);
    const scans = [...plans.values()].flat().filter((node) => node['Node Type'] === 'Seq Scan');
    t.deepEqual(scans, []);
    const indexes = plans.get(statement)?.map((node) => node['Index Name']);
    t.true(
      indexes?.includes(index),
      `${statement}: ${JSON.stringify(indexes ?? [...plans.keys()])}`,
    );
  });

test('a search for a word of nearly all names reads a limited number of contacts', async (t) => {
  const limits = { ...searchLimits, counted: 100, firstRows: 10, rows: 200 };
  const plans = await plansOf({ q: 'grace' }, { analyze: true, limits });
  const nodes = plans.get('contacts.gather-by-part')!;
  // Rows of an index only: no contact is read for them.
  const read = nodes.filter((node) => node['Node Type'] !== 'Bitmap Index Scan');
  t.is(Math.max(...read.map((node) => node['Actual Rows']!)), limits.counted + 1);
});

test('conditions that no index finds read a limited number of contacts', async (t) => {
  const limits = { ...searchLimits, counted: 100, countedRows: 300, firstRows: 10, rows: 200 };
  for (const filter of [{ tag: ['missing'] }, { property: { city: 'gt:d' } }]) {
    const plans = await plansOf(filter, { analyze: true, limits });
    const rows = [...plans.values()].flat().map((node) => node['Actual Rows']!);
    t.is(Math.max(...rows), limits.countedRows);
  }
});

test('an order by a property reads a limited number of contacts, and keeps those of a page', async (t) => {
  const limits = { ...searchLimits, sorted: 300 };
  for (const filter of [{}, { tag: ['exists'] }, { q: 'grace' }]) {
    const plans = await plansOf({ ...filter, sort: 'property:city' }, { analyze: true, limits });
    const nodes = [...plans.values()].flat();
    // Rows of an index only: no contact is read for them.
    const read = nodes.filter((node) => node['Node Type'] !== 'Bitmap Index Scan');
    t.is(Math.max(...read.map((node) => node['Actual Rows']!)), limits.sorted + 1);
    t.true(nodes.some((node) => node['Sort Method'] === 'top-N heapsort'));
  }
});

test('a search for the few subscribed contacts of a workspace reads a limited number of contacts', async (t) => {
  const limits = { ...searchLimits, counted: 100, firstRows: 10, rows: 200 };
  const workspace = newFilledWorkspace('subscribed');
  // In the order of names, those few come first.
  for (const sort of contactSorts.filter((one) => one !== 'name')) {
    const plans = await plansOf(
      { status: 'subscribed', sort },
      { analyze: true, limits, workspace },
    );
    const rows = [...plans.values()].flat().map((node) => node['Actual Rows']!);
    t.is(Math.max(...rows), limits.rows, sort);
  }
});
