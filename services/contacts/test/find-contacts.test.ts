import assert from 'node:assert/strict';
import type { Json } from '@roster/bus';
import {
  type CallInputOf,
  contactPosition,
  contactSorts,
  nameKey,
  contactStatuses,
  encodeId,
  Fault,
  instantOfId,
  isOfType,
  operations,
  type Operations,
  type OutputOf,
  type PropertySort,
  type PropertyValue,
  uuidOf,
} from '@roster/contracts';
import { IdClock } from '@roster/process';
import { callAs, shortOrLong } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { FilterSizes } from '../reading/filter-sizes.js';
import { findContacts } from '../operations/contacts/find-contacts.js';
import { searchLimits, type SearchLimits } from '../reading/search.js';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

type FindInput = CallInputOf<Operations['contacts.find']>;
type Found = OutputOf<Operations['contacts.find']>;

interface Row {
  email: string;
  name: string;
  tags: string[];
  properties: Record<string, PropertyValue>;
  status: (typeof contactStatuses)[number];
  /** Seconds after the first contact. */
  second: number;
  /** Seconds of the last change after all creations; undefined if there was none. */
  changed: number | undefined;
}

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
const names = ['Ada', 'ADA Lovelace', 'Grace Hopper', 'Ada Hopper', 'Adam', '', 'Łukasz Ada'];
const tags = ['vip', 'customer', 'new "tag"', 'a,b', 'exists', 'any:vip'];
/** From the basic plane and beyond it: the order of code points differs from that of UTF-16. */
const values = ['Paris', 'gold', '', '"', 'a\\b, c', '2026-01-31', '\uFF21', '\u{1F600}'];
const dates = ['1999-12-31', '2026-01-31', '2026-02-01'];
const types = { age: 'number', member: 'boolean', since: 'date' } as const;
const texts = { city: 'string', plan: 'string' } as const;
const propertySorts: PropertySort[] = Object.keys({ ...types, ...texts }).flatMap(
  (name): PropertySort[] => [`property:${name}`, `-property:${name}`],
);
const row: fc.Arbitrary<Row> = fc.record({
  email: fc
    .tuple(oneOf(['ada', 'Ada.l', 'grace', 'hop', 'zoe']), fc.nat(9999))
    .map(([start, n]) => `${start}${n}@example.com`),
  name: oneOf(names),
  tags: fc.uniqueArray(oneOf(tags), { maxLength: 3 }),
  properties: fc
    .record(
      {
        ...{ city: oneOf(values), plan: oneOf(values) },
        // The last ones are from before the property was defined with its type.
        age: oneOf([-1.5, 0, 9, 10, 1e-7, '9']),
        member: oneOf([true, false, 'true']),
        since: oneOf(dates),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((given): Record<string, PropertyValue> => given),
  status: oneOf(contactStatuses),
  second: fc.nat(300),
  changed: fc.option(fc.nat(300), { nil: undefined, freq: 2 }),
});
const rows = fc
  .uniqueArray(row, { minLength: 0, maxLength: 40, selector: ({ email }) => email.toLowerCase() })
  .map((all) => all.toSorted((a, b) => a.second - b.second));

const timeOf = (second: number): string =>
  new Date(Date.UTC(2026, 0, 31) + second * 1000).toISOString();
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
/** A value as an entry of a list. */
const entryOf = (value: string): string => {
  const quoted = `"${value.replaceAll('"', '""')}"`;
  return /^"|%2c/i.test(value) ? quoted : value.replaceAll(',', '%2C');
};
const listOf = (all: readonly string[]) =>
  fc.array(oneOf(all), { minLength: 1, maxLength: 3 }).map((list) => list.map(entryOf).join());
const tagCondition = fc.oneof(
  { weight: 3, arbitrary: oneOf(['vip', 'customer', 'new "tag"', 'x', 'a,b']) },
  oneOf(['exists', 'missing', 'any', 'is:exists', 'is:any:vip', 'not:a,b', 'not:vip', 'gt:vip']),
  fc.tuple(oneOf(['any:', 'none:']), listOf(tags)).map((parts) => parts.join('')),
);
const propertyCondition = fc.oneof(
  { weight: 3, arbitrary: oneOf(values) },
  oneOf(['exists', 'missing', 'is:exists']),
  fc.tuple(oneOf(['any:', 'none:']), listOf(values)).map((parts) => parts.join('')),
  fc
    .tuple(oneOf(['not:', 'is:', 'gt:', 'gte:', 'lt:', 'lte:']), oneOf(values))
    .map((parts) => parts.join('')),
);
const typedCondition = (all: readonly string[], isOrdered: boolean) =>
  fc.oneof(
    { weight: 3, arbitrary: oneOf(all) },
    oneOf(['exists', 'missing']),
    fc.tuple(oneOf(['any:', 'none:']), listOf(all)).map((parts) => parts.join('')),
    fc
      .tuple(
        oneOf(isOrdered ? ['not:', 'is:', 'gt:', 'gte:', 'lt:', 'lte:'] : ['not:', 'is:']),
        oneOf(all),
      )
      .map((parts) => parts.join('')),
  );
/** With at most one exact value. */
const oneOrMore = (condition: fc.Arbitrary<string>) => {
  const isExact = (text: string) => !/^(?:any|none|not|gte?|lte?):|^(?:exists|missing)$/.test(text);
  return fc.oneof(
    { weight: 2, arbitrary: condition },
    fc
      .array(condition, { minLength: 1, maxLength: 3 })
      .filter((all) => all.filter(isExact).length <= 1),
  );
};
const filter = fc.record({
  email: some(oneOf(['ADA1@example.com', 'grace7@Example.com'])),
  tag: some(fc.uniqueArray(tagCondition, { minLength: 1, maxLength: 3 })),
  status: some(oneOf(contactStatuses)),
  property: some(
    fc.oneof(
      fc.dictionary(oneOf(['city', 'plan']), oneOrMore(propertyCondition), {
        minKeys: 1,
        maxKeys: 2,
      }),
      fc
        .record(
          {
            age: oneOrMore(typedCondition(['-1.5', '0.0', '9', '10', '1e1', '8.5'], true)),
            member: oneOrMore(typedCondition(['true', 'No', '1'], false)),
            since: oneOrMore(typedCondition([...dates, '2026-01-30'], true)),
          },
          { requiredKeys: [], noNullPrototype: true },
        )
        .map((given): Record<string, string | string[]> => given),
    ),
  ),
  createdAfter: some(fc.nat(300).map(timeOf)),
  createdBefore: some(fc.nat(300).map(timeOf)),
  updatedAfter: some(fc.nat(600).map(timeOf)),
  updatedBefore: some(fc.nat(600).map(timeOf)),
  q: some(
    oneOf([
      'a',
      'ADA',
      'hop',
      'ada hop',
      'hop ada',
      'łu',
      "z'",
      '\\',
      'ada.l',
      'lovelace',
      'da',
      'rac',
      '9@e',
    ]),
  ),
  sort: some(fc.oneof(oneOf(contactSorts), oneOf(propertySorts))),
});
type Filter = typeof filter extends fc.Arbitrary<infer T> ? T : never;

const nothing: Filter = {
  email: undefined,
  tag: undefined,
  status: undefined,
  property: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
  updatedAfter: undefined,
  updatedBefore: undefined,
  q: undefined,
  sort: undefined,
};

/** Without `undefined`. */
const given = (input: Filter): Omit<FindInput, 'limit'> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never;

/** What a list must contain, by its definition. */
function expected(all: readonly Row[], wanted: Filter): string[] {
  const { email, tag = [], status, property = {}, q, sort } = wanted;
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = wanted;
  const instants = new Map(
    idsOf(all).map(({ id, change }, at) => [all[at]!, instantOfId(change ?? id)]),
  );
  const exact = (time: string) => time.replace('Z', '000Z');
  const wordsIn = (value: string) => value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const isFound = ({ email: address, name }: Row) => {
    const [part, at] = [q!.toLowerCase(), address.toLowerCase().indexOf(q!.toLowerCase())];
    const words = wordsIn(part);
    return (
      at === 0 ||
      (at > 0 && part.length >= 3) ||
      (words.length > 0 &&
        words.every((word) => wordsIn(name).some((each) => each.startsWith(word))))
    );
  };
  const isTagged = (own: readonly string[], condition: string): boolean => {
    const [, prefix, rest = ''] = /^(any|none|not|is):(.*)$/s.exec(condition) ?? [];
    const listed = tags.filter((one) => rest.split(',').includes(entryOf(one)));
    if (condition === 'exists') return own.length > 0;
    if (condition === 'missing') return own.length === 0;
    if (prefix === 'any') return listed.some((one) => own.includes(one));
    if (prefix === 'none') return !listed.some((one) => own.includes(one));
    if (prefix === 'not') return !own.includes(rest);
    return own.includes(prefix === 'is' ? rest : condition);
  };
  const hasTyped = (name: keyof typeof types, value: PropertyValue | undefined, text: string) => {
    const [, prefix = 'is', rest = text] = /^(any|none|not|is|gte?|lte?):(.*)$/s.exec(text) ?? [];
    const read = (one: string): PropertyValue =>
      name === 'age'
        ? Number(one)
        : name === 'since'
          ? one
          : ['true', 'yes', '1'].includes(one.toLowerCase());
    const isListed = rest.split(',').some((one) => read(one) === value);
    if (text === 'exists') return value !== undefined;
    if (text === 'missing') return value === undefined;
    if (['is', 'any'].includes(prefix)) return isListed;
    if (['not', 'none'].includes(prefix)) return !isListed;
    const other = read(rest);
    if (value === undefined || typeof value !== typeof other) return false;
    if (prefix === 'gt') return value > other;
    if (prefix === 'gte') return value >= other;
    return prefix === 'lt' ? value < other : value <= other;
  };
  const hasValue = (own: string | undefined, condition: string): boolean => {
    const [, prefix, rest = ''] = /^(any|none|not|is|gte?|lte?):(.*)$/s.exec(condition) ?? [];
    const listed = values.filter((one) => rest.split(',').includes(entryOf(one)));
    const order = own === undefined ? NaN : Buffer.compare(Buffer.from(own), Buffer.from(rest));
    if (condition === 'exists') return own !== undefined;
    if (condition === 'missing') return own === undefined;
    if (prefix === 'any') return listed.includes(own!);
    if (prefix === 'none') return !listed.includes(own!);
    if (prefix === 'not') return own !== rest;
    if (prefix === 'gt') return order > 0;
    if (prefix === 'gte') return order >= 0;
    if (prefix === 'lt') return order < 0;
    if (prefix === 'lte') return order <= 0;
    return own === (prefix === 'is' ? rest : condition);
  };
  const found = all.filter(
    (each) =>
      (email === undefined || each.email.toLowerCase() === email.toLowerCase()) &&
      tag.every((one) => isTagged(each.tags, one)) &&
      (status === undefined || each.status === status) &&
      Object.entries(property).every(([name, conditions]) =>
        [conditions]
          .flat()
          .every((one) =>
            name in types
              ? hasTyped(name as keyof typeof types, each.properties[name], one)
              : hasValue(each.properties[name] as string | undefined, one),
          ),
      ) &&
      (createdAfter === undefined || timeOf(each.second) > createdAfter) &&
      (createdBefore === undefined || timeOf(each.second) < createdBefore) &&
      (updatedAfter === undefined || instants.get(each)! > exact(updatedAfter)) &&
      (updatedBefore === undefined || instants.get(each)! < exact(updatedBefore)) &&
      (q === undefined || isFound(each)),
  );
  const by = (keyOf: (row: Row) => string) =>
    found
      .toSorted((a, b) => Buffer.from(keyOf(a)).compare(Buffer.from(keyOf(b))))
      .map((each) => each.email);
  const ids = new Map(idsOf(all).map(({ id }, at) => [all[at]!, id]));
  if (sort?.includes(':')) return inOrderOf(sort as PropertySort, found).map((each) => each.email);
  const emails = found.map((each) => each.email);
  const ordered = {
    createdAt: () => emails,
    email: () => by((each) => each.email.toLowerCase()),
    name: () => by((each) => nameKey(each.name, ids.get(each)!)),
    updatedAt: () => by((each) => instants.get(each)!),
  }[(sort ?? 'createdAt').replace('-', '') as 'email']();
  return sort?.startsWith('-') ? ordered.toReversed() : ordered;
}

/** @param found in the order of their IDs */
function inOrderOf(sort: PropertySort, found: readonly Row[]): Row[] {
  const name = sort.replace(/^-?property:/, '');
  const type = { ...types, ...texts }[name as 'age' | 'city'];
  const hasValue = ({ properties }: Row) =>
    properties[name] !== undefined && isOfType(type, properties[name]);
  const lowerCased = (value: PropertyValue | undefined) =>
    Buffer.from(String(value).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
  const known = found
    .filter(hasValue)
    .toSorted(({ properties: a }, { properties: b }) =>
      type === 'string'
        ? Buffer.compare(lowerCased(a[name]), lowerCased(b[name]))
        : Number(a[name]! > b[name]!) - Number(a[name]! < b[name]!),
    );
  const others = found.filter((each) => !hasValue(each));
  return [...(sort.startsWith('-') ? known.toReversed() : known), ...others];
}

/** @returns the UUIDs of the contacts */
async function insert(workspaceId: string, all: readonly Row[]): Promise<string[]> {
  // Without the mark that lets the database compare them: the values are also of other types.
  await running().database.query(
    {
      name: 'test.define',
      text: `insert into contacts.contact_properties (workspace_id, id, name, label, type)
        select $1, gen_random_uuid(), name, name, type from unnest($2::text[], $3::text[]) as d (name, type)`,
    },
    [
      uuidOf('workspace', workspaceId),
      Object.keys({ ...types, ...texts }),
      Object.values({ ...types, ...texts }),
    ],
  );
  const ids = idsOf(all);
  const contactIds = ids.map(({ id }) => id);
  await running().database.query(
    {
      name: 'test.insert',
      text: `
        insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, status, created_at, change_id)
        select $1, id, email, lower(email), name, tags, properties, status, created_at, change_id
        from unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::text[], $8::timestamptz[], $9::uuid[])
          as c (id, email, name, tags, properties, status, created_at, change_id)`,
    },
    [
      uuidOf('workspace', workspaceId),
      contactIds,
      all.map(({ email }) => email),
      all.map(({ name }) => name),
      all.map(({ tags }) => JSON.stringify(tags)),
      all.map(({ properties }) => JSON.stringify(properties)),
      all.map(({ status }) => status),
      all.map(({ second }) => timeOf(second)),
      ids.map(({ change }) => change),
    ],
  );
  return contactIds;
}

/** The times of IDs are those of the contacts and of their last changes. */
function idsOf(all: readonly Row[]): { id: string; change: string | null }[] {
  const clock = { second: 0 };
  const ids = new IdClock(() => Date.parse(timeOf(clock.second)));
  const idAt = (second: number) => {
    clock.second = second;
    return ids.next();
  };
  const created = all.map(({ second }) => idAt(second));
  const changes = new Map(
    all
      .filter(({ changed }) => changed !== undefined)
      .toSorted((a, b) => a.changed! - b.changed!)
      .map((each) => [each, idAt(301 + each.changed!)]),
  );
  return all.map((each, at) => ({ id: created[at]!, change: changes.get(each) ?? null }));
}

async function find(
  workspaceId: string,
  input: FindInput,
  limits: SearchLimits,
  sizes?: FilterSizes,
): Promise<Found> {
  const call = {
    ...callAs({ workspaceId }),
    input: operations['contacts.find'].input.parse(input),
  };
  const [answer] = await findContacts(running().service, limits, sizes)([call]);
  if (answer instanceof Fault) throw answer;
  return JSON.parse((answer as Json).text) as Found;
}

/** So small that the contacts of a workspace of the tests exceed them. */
const smallLimits: SearchLimits = {
  counted: 6,
  firstRows: 3,
  rows: 5,
  offsetRows: 100,
  gathered: 12,
  countedRows: 20,
  exactRows: 7,
  exactMs: 10_000,
  sorted: 1000,
};

// Assertions of `assert`: AVA reports the first one of its own that failed, instead of the smallest counterexample and its seed.
for (const [title, limits, sizes] of [
  ['with the usual bounds', searchLimits, undefined],
  ['with bounds that the contacts exceed', smallLimits, undefined],
  ['with what earlier pages have shown of the filter', smallLimits, new FilterSizes()],
] as const)
  test(`pages of any filter in any order contain exactly the contacts that match, ${title}`, async (t) => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        rows,
        filter,
        fc.integer({ min: 1, max: 7 }),
        async (own, others, wanted, limit) => {
          const [workspace, stranger] = [newWorkspace(running().bus), newWorkspace(running().bus)];
          await insert(workspace.id, own);
          await insert(stranger.id, others);
          const emails = expected(own, wanted);
          const estimateMax = Math.max(limits.counted + 1, own.length);
          const checkTotal = ({ total, totalIsEstimate }: Found['pagination']) => {
            if (!totalIsEstimate) assert.equal(total, emails.length);
            else assert.ok(total! >= 0 && total! <= estimateMax, `estimate ${total}`);
          };
          const found: string[] = [];
          let after: string | null | undefined;
          let pages = 0;
          do {
            const page = await find(
              workspace.id,
              { ...given(wanted), limit, ...(after && { after }) },
              limits,
              sizes,
            );
            found.push(...page.contacts.map(({ email }) => email));
            checkTotal(page.pagination);
            const { totalIsEstimate = false, next } = page.pagination;
            if (!after && next === null) assert.ok(!totalIsEstimate, 'total of a whole list');
            assert.ok((pages += 1) <= own.length + 1, 'pages end');
            after = next;
          } while (after !== null);
          assert.deepEqual(found, emails);
          // Without an offset, a page may be shorter than its limit.
          const offset = Math.max(1, Math.floor(emails.length / 2));
          const skipped = await find(
            workspace.id,
            { ...given(wanted), limit, offset },
            limits,
            sizes,
          );
          assert.deepEqual(
            skipped.contacts.map(({ email }) => email),
            emails.slice(offset, offset + limit),
          );
          checkTotal(skipped.pagination);
        },
      ),
      { numRuns: shortOrLong(100, 400) },
    );
    t.pass();
  });

/** A part of a list: between two of its contacts, whether they match or not, and read from one of its ends. */
const part = fc.record({
  after: some(fc.nat(1000)),
  before: some(fc.nat(1000)),
  fromEnd: fc.boolean(),
  offset: fc.nat(5),
  limit: fc.integer({ min: 1, max: 7 }),
});

for (const [title, limits, sizes] of [
  ['with the usual bounds', searchLimits, undefined],
  ['with bounds that the contacts exceed', smallLimits, new FilterSizes()],
] as const)
  test(`pages between any two contacts, from either end, contain exactly those that match and tell whether others do, ${title}`, async (t) => {
    await fc.assert(
      fc.asyncProperty(rows, filter, part, async (own, wanted, { fromEnd, limit, ...bounds }) => {
        const workspace = newWorkspace(running().bus);
        const ids = await insert(workspace.id, own);
        const { sort = 'createdAt' } = wanted;
        const instants = idsOf(own).map(({ id, change }) => instantOfId(change ?? id));
        const listed = expected(own, { ...nothing, sort });
        const cursors = listed.map((email) =>
          contactPosition.of(sort, {
            id: encodeId('contact', ids[own.findIndex((each) => each.email === email)]!),
            email,
            name: own.find((each) => each.email === email)!.name,
            properties: own.find((each) => each.email === email)!.properties,
            updatedAt: instants[own.findIndex((each) => each.email === email)]!,
          }),
        );
        const at = (nth: number | undefined) =>
          nth === undefined || own.length === 0 ? undefined : nth % own.length;
        const first = at(bounds.after) ?? -1;
        const end = at(bounds.before);
        const last = end !== undefined && end > first ? end : own.length;
        const matching = expected(own, wanted).map((email) => listed.indexOf(email));
        const within = matching.filter((index) => index > first && index < last);
        const kept = fromEnd
          ? within.slice(0, Math.max(0, within.length - bounds.offset))
          : within.slice(bounds.offset);
        const read: number[] = [];
        let { offset } = bounds;
        let [after, before] = [cursors[first], cursors[last]];
        for (let pages = 0; ; pages += 1) {
          assert.ok(pages <= own.length + 1, 'pages end');
          const { contacts, pagination } = await find(
            workspace.id,
            {
              ...given(wanted),
              ...{ limit, offset, fromEnd, around: true },
              ...(after !== undefined && { after }),
              ...(before !== undefined && { before }),
            },
            limits,
            sizes,
          );
          const found = contacts.map(({ email }) => listed.indexOf(email));
          const start = fromEnd ? kept.length - read.length : read.length;
          assert.deepEqual(
            found,
            fromEnd
              ? kept.slice(start - found.length, start)
              : kept.slice(start, start + found.length),
          );
          const { next, hasNext, hasPrevious } = pagination;
          assert.ok(hasNext !== undefined && hasPrevious !== undefined);
          if (limits === searchLimits)
            assert.equal(found.length, Math.min(limit, kept.length - read.length));
          if (fromEnd) read.unshift(...found);
          else read.push(...found);
          // The contacts beside the page; beside an empty one, those of its end where no more were found.
          const [low = fromEnd ? first + 1 : last, high = fromEnd ? first : last - 1] = [
            found[0],
            found.at(-1),
          ];
          const isPrevious = matching.some((index) => index < low);
          const isNext = matching.some((index) => index > high);
          if (limits === searchLimits)
            assert.deepEqual(
              { hasPrevious, hasNext },
              { hasPrevious: isPrevious, hasNext: isNext },
            );
          else if (found.length > 0)
            assert.ok((hasPrevious || !isPrevious) && (hasNext || !isNext));
          if (next === null) break;
          if (fromEnd) before = next;
          else after = next;
          offset = 0;
        }
        assert.deepEqual(read, kept);
      }),
      { numRuns: shortOrLong(100, 400) },
    );
    t.pass();
  });

test('a cursor of another order is refused with the name of the field', async (t) => {
  const workspace = newWorkspace(running().bus);
  for (const email of ['a@example.com', 'b@example.com'])
    await create(workspace, email, { properties: { email, name: email } });
  const sorts = [
    ...contactSorts,
    ...(['property:name', '-property:name', 'property:email', '-property:email'] as const),
  ];
  for (const sort of sorts) {
    const { pagination } = await workspace.call('contacts.find', { limit: 1, sort });
    for (const other of sorts) {
      const outcome = await workspace.attempt('contacts.find', {
        limit: 1,
        sort: other,
        after: pagination.next!,
      });
      if (sort === other) t.like(outcome, { pagination: { next: null } });
      else t.is((outcome as Fault).details.errors?.[0]?.pointer, '/after');
    }
  }
});

for (const sort of ['createdAt', '-createdAt'] as const)
  test(`paging by ${sort} during creations repeats no contact and skips none that existed`, async (t) => {
    const workspace = newWorkspace(running().bus);
    const tags = ['vip'];
    const before = Array.from({ length: 30 }, (_, n) => `before${n}@example.com`);
    for (const email of before) await create(workspace, email, { tags });
    const seen: string[] = [];
    let after: string | null | undefined;
    for (let n = 0; after !== null; n += 1) {
      const input = { limit: 4, sort, tag: tags, ...(after && { after }) };
      const [page] = await Promise.all([
        workspace.call('contacts.find', input),
        n < 20 ? create(workspace, `during${n}@example.com`, { tags }) : undefined,
      ]);
      seen.push(...page.contacts.map(({ email }) => email));
      after = page.pagination.next;
    }
    t.is(new Set(seen).size, seen.length);
    t.deepEqual(
      before.filter((email) => !seen.includes(email)),
      [],
    );
  });

test('a value in a filter that is not of the type of its property is refused, also in that of an action', async (t) => {
  const workspace = newWorkspace(running().bus);
  for (const [name, type] of Object.entries(types))
    await workspace.call('contact-properties.create', { name, label: name, type });
  for (const [name, condition] of [
    ['age', 'old'],
    ['age', 'any:1,two'],
    ['age', 'gt:'],
    ['member', 'maybe'],
    ['member', 'gt:false'],
    ['since', '2026-02-30'],
    ['since', 'lt:2026'],
  ] as const) {
    const property = { [name]: condition };
    const found = await workspace.attempt('contacts.find', { limit: 1, property });
    t.is((found as Fault).details.errors?.[0]?.pointer, `/property/${name}`, condition);
    const acted = await workspace.attempt('contact-actions.create', {
      filter: { property },
      change: { addTags: ['x'] },
    });
    t.is((acted as Fault).details.errors?.[0]?.pointer, `/filter/property/${name}`, condition);
  }
});

test('contacts that are updated or deleted are found by their new values only', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'ada@example.com', { tags: ['old'], name: 'Old' });
  const contactId = contact.id;
  await workspace.call('contacts.update', { contactId, tags: ['new'], name: 'New' });
  const count = async (input: Omit<FindInput, 'limit'>) =>
    (await workspace.call('contacts.find', { ...input, limit: 5 })).pagination.total;
  const filters = [{ tag: ['old'] }, { q: 'old' }, { tag: ['new'] }, { q: 'new' }];
  t.deepEqual(await Promise.all(filters.map((each) => count(each))), [0, 0, 1, 1]);
  await workspace.call('contacts.delete', { contactId });
  t.is(await count({ tag: ['new'] }), 0);
});
