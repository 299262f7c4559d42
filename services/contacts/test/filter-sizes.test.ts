import type { Json } from '@roster/bus';
import { operations, type Operations, type OutputOf } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { callAs } from '@roster/testing';
import test from 'ava';
import { FilterSizes, filtersMax, manyMs, workspacesMax } from '../reading/filter-sizes.js';
import { findContacts } from '../operations/contacts/find-contacts.js';
import { searchLimits } from '../reading/search.js';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);
const limits = { ...searchLimits, counted: 5, firstRows: 4, countedRows: 6 };
/** Two: a single one has a counter. */
const tag = ['vip', 'big'];

/** Finds the contacts with the tags, with one memory of filters and a clock of its own. */
function searching() {
  const workspace = newWorkspace(running().bus);
  const clock = { ms: 0 };
  let statements: string[] = [];
  const database = {
    query(statement: Statement, values: readonly unknown[]) {
      statements.push(statement.name);
      return running().database.query(statement, values);
    },
  } as unknown as Database;
  const service = { ...running().service, database };
  const handler = findContacts(service, limits, new FilterSizes(() => clock.ms));
  const find = async (filter: object = { tag }) => {
    statements = [];
    const input = operations['contacts.find'].input.parse({ limit: 2, ...filter });
    const [answer] = await handler([{ ...callAs({ workspaceId: workspace.id }), input }]);
    const page = JSON.parse((answer as Json).text) as OutputOf<Operations['contacts.find']>;
    const { total, totalIsEstimate = false } = page.pagination;
    return { total, totalIsEstimate, found: page.contacts.length, statements };
  };
  const add = async (count: number, tags = tag) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1)
      ids.push(
        (await create(workspace, `${crypto.randomUUID()}@example.com`, { tags })).contact.id,
      );
    return ids;
  };
  const remove = (contactId: string) => workspace.call('contacts.delete', { contactId });
  return { clock, find, add, remove };
}

test('more matches than are counted exactly are counted once in ten seconds, and the page is read each time', async (t) => {
  const { clock, find, add } = searching();
  await add(7);
  const counts = async () => {
    const { statements, ...page } = await find();
    t.like(page, { found: 2, totalIsEstimate: true });
    return statements.includes('contacts.gather-by-tags');
  };
  t.true(await counts());
  t.false(await counts());
  clock.ms += manyMs - 1;
  t.false(await counts());
  clock.ms += 1;
  t.true(await counts());
});

test('a number that falls to one that is counted exactly is an estimate for at most ten seconds', async (t) => {
  const { clock, find, add, remove } = searching();
  const ids = await add(7);
  await find();
  for (const id of ids.slice(3)) await remove(id);
  await add(5, ['other']);
  clock.ms += manyMs;
  t.like(await find(), { total: 3, totalIsEstimate: false });
});

test('a number that is counted exactly includes every earlier write, whatever is known of the filter', async (t) => {
  const { find, add, remove } = searching();
  await add(8, ['other']);
  const [first] = await add(3);
  t.like(await find(), { total: 3, found: 2, totalIsEstimate: false });
  const { statements, ...page } = await find();
  t.like(page, { total: 3, found: 2 });
  t.deepEqual(statements, ['contacts.gather-by-tags']);
  await remove(first!);
  t.like(await find(), { total: 2, found: 2, totalIsEstimate: false });
  await add(3);
  t.like(await find(), { total: 5, found: 2, totalIsEstimate: false });
  await add(1);
  t.like(await find(), { found: 2, totalIsEstimate: true });
});

test('a page behind the first contacts is read without counting many matches again', async (t) => {
  const { find, add } = searching();
  await add(8, ['other']);
  await add(7);
  t.like(await find(), { found: 2, totalIsEstimate: true });
  const { statements, ...page } = await find();
  t.like(page, { found: 2, totalIsEstimate: true });
  t.deepEqual(statements, ['contacts.find-in-order', 'contacts.find-in-order']);
});

test('a filter is known by all its conditions', async (t) => {
  const { find, add } = searching();
  await add(7);
  await add(2, [...tag, 'new']);
  await find();
  t.like(await find({ tag: [...tag, 'new'] }), { total: 2, totalIsEstimate: false });
  t.like(await find({ tag: ['vip', 'none'] }), { total: 0, totalIsEstimate: false });
});

test('the filters of a workspace displace its own only, and the number of workspaces is limited', (t) => {
  const sizes = new FilterSizes();
  const search = (workspace: string, filter: number) => ({ values: [workspace, filter] });
  sizes.remember(search('other', 0), 'few');
  for (let n = 0; n <= filtersMax; n += 1) sizes.remember(search('busy', n), 'many');
  t.is(sizes.of(search('busy', 0)), undefined);
  t.is(sizes.of(search('busy', 1)), 'many');
  t.is(sizes.of(search('other', 0)), 'few');
  for (let n = 0; n < workspacesMax; n += 1) sizes.remember(search(`new${n}`, 0), 'few');
  t.is(sizes.of(search('other', 0)), undefined);
  t.is(sizes.of(search('new0', 0)), 'few');
});
