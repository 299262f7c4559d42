import type { Json } from '@roster/bus';
import {
  Fault,
  operations,
  uuidOf,
  type CallInputOf,
  type ContactPropertyType,
  type Operations,
  type OutputOf,
  type PropertySort,
  type PropertyValue,
} from '@roster/contracts';
import { callAs } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { findContacts } from '../operations/contacts/find-contacts.js';
import { searchLimits } from '../reading/search.js';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

type FindInput = CallInputOf<Operations['contacts.find']>;
type Found = OutputOf<Operations['contacts.find']>;

const find = async (workspaceId: string, input: FindInput, limits = searchLimits) => {
  const [answer] = await findContacts(
    running().service,
    limits,
  )([{ ...callAs({ workspaceId }), input: operations['contacts.find'].input.parse(input) }]);
  return answer!;
};

const page = async (workspaceId: string, input: FindInput): Promise<Found> =>
  JSON.parse(((await find(workspaceId, input)) as Json).text) as Found;

/** The values of all contacts in an order, page by page. */
async function valuesIn(workspaceId: string, input: Omit<FindInput, 'limit'>, name: string) {
  const values: (PropertyValue | undefined)[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { contacts, pagination } = await page(workspaceId, {
      ...input,
      ...{ limit: 7, after: after ?? undefined },
    });
    values.push(...contacts.map(({ properties }) => properties[name]));
    after = pagination.next;
  }
  return values;
}

const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
const byText = (a: string, b: string) =>
  Buffer.compare(Buffer.from(lower(a)), Buffer.from(lower(b)));

/** Values of each type, and their order. */
const values: {
  [Type in ContactPropertyType]: [fc.Arbitrary<PropertyValue>, (a: never, b: never) => number];
} = {
  number: [
    fc.oneof(
      fc.double({ noNaN: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
      fc.constantFrom(-0, 0, 5e-324, -5e-324, 1e-7, 0.1, -0.1, 2 ** 53 - 1, -(2 ** 53) + 1),
      fc.integer({ min: -20, max: 20 }),
    ),
    (a: number, b: number) => a - b,
  ],
  boolean: [fc.boolean(), (a: boolean, b: boolean) => Number(a) - Number(b)],
  date: [
    fc.constantFrom('0001-01-01', '1999-12-31', '2000-01-01', '2026-11-28', '9999-12-31'),
    byText,
  ],
  string: [
    fc.oneof(
      fc.constantFrom('', ' ', '\u0001', 'a', 'A', 'a\u0001', 'aa', 'Z', '_', 'é', 'É', '\uFF21'),
      fc.constantFrom('\u{1F600}', '10', '9', `${'x'.repeat(99)}A`, `${'x'.repeat(99)}b`),
      fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => !text.includes('\0')),
    ),
    byText,
  ],
};

for (const type of ['number', 'boolean', 'date', 'string'] as const)
  test(`contacts are in the order of any values of the type ${type}, and without one at the end`, async (t) => {
    const [arbitrary, compare] = values[type];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(arbitrary, { nil: undefined, freq: 6 }), { maxLength: 20 }),
        async (all) => {
          const workspace = newWorkspace(running().bus);
          await workspace.call('contact-properties.create', { name: 'p', label: 'p', type });
          await insert(workspace.id, all);
          const known = all
            .filter((value) => value !== undefined)
            .map((value) => (Object.is(value, -0) ? 0 : value))
            .toSorted(compare as () => number);
          const missing = all.filter((value) => value === undefined);
          const shown = (sort: PropertySort) => valuesIn(workspace.id, { sort }, 'p');
          t.deepEqual(await shown('property:p'), [...known, ...missing]);
          const down = await shown('-property:p');
          // Of equal values, the last contact is the first.
          t.deepEqual(down, [...known.toReversed(), ...missing]);
        },
      ),
      { numRuns: 60 },
    );
  });

async function insert(workspaceId: string, all: readonly (PropertyValue | undefined)[]) {
  await running().database.query(
    {
      name: 'test.insert-values',
      text: `
        insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, status, created_at)
        select $1, (lpad(to_hex(n), 12, '0') || '7000' || lpad('', 16, '8'))::uuid, n || '@example.com', n || '@example.com', '', '[]', p, 'subscribed', now()
        from unnest($2::jsonb[]) with ordinality as c (p, n)`,
    },
    [
      uuidOf('workspace', workspaceId),
      all.map((p) => JSON.stringify(p === undefined ? {} : { p })),
    ],
  );
}

/** A workspace with contacts whose addresses begin with their values, and one without a value. */
async function newRanking(ranks: readonly number[]) {
  const workspace = newWorkspace(running().bus);
  await workspace.call('contact-properties.create', {
    name: 'rank',
    label: 'Rank',
    type: 'number',
  });
  const contacts = [];
  for (const rank of ranks)
    contacts.push(
      (await create(workspace, `${rank}@example.com`, { properties: { rank } })).contact,
    );
  await create(workspace, 'none@example.com');
  return { workspace, contacts };
}

const emailsOf = ({ contacts }: Found) => contacts.map(({ email }) => email.split('@')[0]);

test('a page continues where it ended, also when the contact there was changed or deleted meanwhile', async (t) => {
  const { workspace, contacts } = await newRanking([10, 20, 30, 40]);
  const next = async (sort: PropertySort, limit: number) => {
    const { pagination } = await page(workspace.id, { sort, limit });
    return pagination.next!;
  };
  const [up, down] = [await next('property:rank', 2), await next('-property:rank', 2)];
  const last = await next('property:rank', 4);
  await workspace.call('contacts.update', {
    contactId: contacts[1]!.id,
    properties: { rank: 99 },
  });
  await workspace.call('contacts.delete', { contactId: contacts[2]!.id });
  const after = async (sort: PropertySort, cursor: string) =>
    emailsOf(await page(workspace.id, { sort, after: cursor, limit: 10 }));
  t.deepEqual(await after('property:rank', up), ['40', '20', 'none']);
  t.deepEqual(await after('-property:rank', down), ['10', 'none']);
  t.deepEqual(await after('property:rank', last), ['20', 'none']);
});

test('contacts of other workspaces, and their properties, are in no order', async (t) => {
  const { workspace } = await newRanking([1, 2]);
  const { workspace: other, contacts } = await newRanking([1.5]);
  const sort = 'property:rank';
  t.deepEqual(emailsOf(await page(workspace.id, { sort, limit: 5 })), ['1', '2', 'none']);
  const { pagination } = await page(other.id, { sort, limit: 1 });
  const { contacts: found } = await page(workspace.id, {
    sort,
    limit: 5,
    after: pagination.next!,
  });
  t.false(found.some(({ id }) => id === contacts[0]!.id));
  const stranger = newWorkspace(running().bus);
  const fault = await stranger.attempt('contacts.find', { sort, limit: 5 });
  t.is((fault as Fault).details.errors?.[0]?.pointer, '/sort');
});

const refused = (t: ExecutionContext, fault: unknown, message: RegExp) => {
  t.true(fault instanceof Fault);
  t.is((fault as Fault).code, 'invalid');
  const [error] = (fault as Fault).details.errors!;
  t.is(error!.pointer, '/sort');
  t.regex(error!.message, message);
};

test('an order by a property that is not defined is refused, and by one whose definition was deleted', async (t) => {
  const { workspace } = await newRanking([1]);
  refused(
    t,
    await workspace.attempt('contacts.find', { sort: 'property:rang', limit: 1 }),
    /must name a contact property/,
  );
  const { properties } = await workspace.call('contact-properties.list', {});
  await workspace.call('contact-properties.delete', {
    propertyId: properties.find(({ name }) => name === 'rank')!.id,
  });
  refused(
    t,
    await workspace.attempt('contacts.find', { sort: 'property:rank', limit: 1 }),
    /must name a contact property/,
  );
});

test('an order for which too many contacts would be read is refused, and not where a filter leaves few enough', async (t) => {
  const { workspace, contacts } = await newRanking([3, 1, 2]);
  const limits = { ...searchLimits, sorted: 3 };
  const sort = 'property:rank';
  refused(
    t,
    await find(workspace.id, { sort, limit: 1 }, limits),
    /more than 3 contacts: restrict/,
  );
  for (const contact of contacts.slice(0, 2))
    await workspace.call('contacts.update', { contactId: contact.id, tags: ['few'] });
  const few = await find(workspace.id, { sort, tag: ['few'], limit: 9 }, limits);
  const found = JSON.parse((few as Json).text) as Found;
  t.deepEqual(emailsOf(found), ['1', '3']);
  t.is(found.pagination.total, 2);
  // No index finds what a filter leaves out.
  refused(t, await find(workspace.id, { sort, tag: ['not:few'], limit: 1 }, limits), /more than 3/);
});
