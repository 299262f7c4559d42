import type { Json } from '@roster/bus';
import { Fault, operations, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { callAs } from '@roster/testing';
import test from 'ava';
import { findContacts } from '../operations/contacts/find-contacts.js';
import { searchLimits } from '../reading/search.js';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

const find = async (workspaceId: string, input: object, limits: Partial<typeof searchLimits>) => {
  const [answer] = await findContacts(running().service, { ...searchLimits, ...limits })([
    { ...callAs({ workspaceId }), input: operations['contacts.find'].input.parse(input) },
  ]);
  return answer!;
};

const page = async (workspaceId: string, input: object, limits: Partial<typeof searchLimits>) => {
  const answer = await find(workspaceId, input, limits);
  return JSON.parse((answer as Json).text) as OutputOf<Operations['contacts.find']>;
};

test('the estimate of a page far behind the first contacts is not greater than the workspace', async (t) => {
  const workspace = newWorkspace(running().bus);
  // A single tag has a counter.
  const tag = ['vip', 'new'];
  const emails = Array.from({ length: 12 }, (_, n) => `contact${n}@example.com`);
  await Promise.all(emails.map((email) => create(workspace, email, { tags: tag })));
  for (const offset of [0, 1, 6]) {
    const input = { tag, limit: 3, offset };
    const { pagination } = await page(workspace.id, input, { counted: 5, firstRows: 2, rows: 4 });
    t.like(pagination, { total: 12, totalIsEstimate: true }, `offset ${offset}`);
  }
});

test('the total of a page behind the last contact that matches is exact if the whole list was read', async (t) => {
  const workspace = newWorkspace(running().bus);
  const tag = ['high'];
  for (const prefix of ['anna', 'ben'])
    for (let n = 0; n < 4; n += 1)
      await create(workspace, `${prefix}${n}@example.com`, { tags: tag });
  // No index finds few enough contacts: the list is counted where it is read.
  const limits = { counted: 1 };
  for (const [q, total] of [
    ['none', 0],
    ['anna', 4],
  ] as const)
    for (const sort of ['createdAt', '-createdAt', 'email'])
      for (const offset of [3, 4, 5]) {
        const input = { q, tag, status: 'subscribed', sort, offset, limit: 50 };
        const { contacts, pagination } = await page(workspace.id, input, limits);
        t.is(contacts.length, Math.max(0, total - offset));
        t.like(
          pagination,
          { total, next: null, totalIsEstimate: undefined },
          `${q}, ${sort}, ${offset}`,
        );
      }
});

test('with count=exact, all contacts that match are counted, in parts, and for a limited time', async (t) => {
  const workspace = newWorkspace(running().bus);
  const other = newWorkspace(running().bus);
  for (let n = 0; n < 12; n += 1) {
    const tags = n % 3 === 0 ? ['vip', 'new'] : ['vip'];
    await create(workspace, `contact${n}@example.com`, { tags, properties: { n: `${n % 5}` } });
  }
  await create(other, 'other@example.com', { tags: ['vip', 'new'] });
  const limits = { counted: 1, firstRows: 2, rows: 4, countedRows: 3, exactRows: 5 };
  for (const [filter, total] of [
    [{ tag: ['vip', 'new'] }, 4],
    [{ tag: ['any:new,old'] }, 4],
    [{ tag: ['not:new'] }, 8],
    [{ property: { n: 'gte:3' } }, 4],
    [{ createdAfter: '2020-01-01T00:00:00Z' }, 12],
    [{ q: 'contact1' }, 3],
    [{ tag: ['vip', 'none'] }, 0],
  ] as const)
    for (const more of [{}, { sort: '-updatedAt' }, { offset: 2 }])
      for (const limit of [1, 50]) {
        const input = { ...filter, ...more, limit, count: 'exact' };
        const { pagination } = await page(workspace.id, input, limits);
        t.like(pagination, { total, totalIsEstimate: undefined }, JSON.stringify(input));
      }
  const input = { tag: ['not:new'], limit: 1 };
  t.true((await page(workspace.id, input, limits)).pagination.totalIsEstimate);
  const late = find(workspace.id, { ...input, count: 'exact' }, { ...limits, exactMs: 0 });
  const fault = await t.throwsAsync(late, { instanceOf: Fault });
  t.is(fault.code, 'unavailable');
  t.regex(fault.message, /cannot be counted in 0 seconds\. Without count=exact/);
});

/** Contacts in an import of a second, then one each hour, of which each half is the same number. */
const fill = `
  insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, status, created_at)
  select $1::uuid, (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || '7000' || lpad('', 16, '8'))::uuid,
    n || '@example.com', n || '@example.com', '', '[]', '{}', 'subscribed', created_at
  from generate_series(1, $2::int) n, lateral (
    select timestamptz '2026-01-01T00:00:00Z'
      + case when n * 2 <= $2 then n * interval '1 ms' else n * interval '1 hour' end
  ) t (created_at)`;

test('the total of a period is exact if few contacts are in it or outside of it, and else an estimate between both', async (t) => {
  const { database, bus } = running();
  const [{ id: most }, { id: few }] = [newWorkspace(bus), newWorkspace(bus)];
  for (const [id, count] of [
    [most, 2000],
    [few, 400],
  ] as const)
    await database.query({ name: 'test.fill', text: fill }, [uuidOf('workspace', id), count]);
  await database.em.execute('analyze contacts.contacts');
  /** After the contact of this number, of 2,000. */
  const at = (n: number) => {
    const hour = 3_600_000;
    const ms = n <= 1000 ? n : n * hour;
    return new Date(Date.parse('2026-01-01T00:00:00Z') + ms).toISOString();
  };
  const totalOf = async (workspaceId: string, input: object) => {
    const { pagination } = await page(workspaceId, { ...input, limit: 1 }, { counted: 100 });
    return [pagination.total, pagination.totalIsEstimate ?? false];
  };
  for (const [after, before] of [
    ['createdAfter', 'createdBefore'],
    ['updatedAfter', 'updatedBefore'],
  ] as const)
    for (const [from, to, total] of [
      [950, 1041, 90],
      [1950, 2001, 50],
      [90, 2001, 1910],
      [90, 1920, 1829],
      [0, 1950, 1949],
    ] as const) {
      const input = { [after]: at(from), [before]: at(to) };
      const [found, isEstimate] = await totalOf(most, input);
      t.false(isEstimate);
      t.is(found, total, JSON.stringify(input));
    }
  for (const [from, to] of [
    [300, 2001],
    [0, 1500],
    [700, 1800],
  ] as const) {
    const period = { createdAfter: at(from), createdBefore: at(to) };
    const [found, isEstimate] = await totalOf(most, period);
    t.true(isEstimate);
    const expected = to - from - 1;
    t.true(Math.abs((found as number) - expected) < 100, `${found as number}, not ${expected}`);
    const changed = { updatedAfter: at(from), updatedBefore: at(to) };
    t.deepEqual(await totalOf(most, changed), [101, true]);
    const exact = await totalOf(most, { ...period, count: 'exact' });
    t.deepEqual(exact, [expected, false]);
  }
  t.deepEqual(await totalOf(few, { createdAfter: at(150) }), [101, true]);
});
