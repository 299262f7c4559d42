import { conditionValuesMax, operations, readCondition } from '@roster/contracts';
import test from 'ava';

test('a condition has a prefix with its colon, or is a value', (t) => {
  const read: Record<string, object> = {
    vip: { is: 'vip' },
    'a,b': { is: 'a,b' },
    any: { is: 'any' },
    'anything:a': { is: 'anything:a' },
    'Any:a': { is: 'Any:a' },
    'exists:': { is: 'exists:' },
    exists: { exists: true },
    missing: { exists: false },
    'is:exists': { is: 'exists' },
    'is:is:a': { is: 'is:a' },
    'not:a,b': { none: ['a,b'] },
    'not:"a"': { none: ['"a"'] },
    'gte:2026-01-01T00:00:00Z': { than: '>=', value: '2026-01-01T00:00:00Z' },
    'gt:': { than: '>', value: '' },
    'lt:a\nb': { than: '<', value: 'a\nb' },
    'lte:gt:a': { than: '<=', value: 'gt:a' },
  };
  for (const [text, condition] of Object.entries(read))
    t.deepEqual(readCondition(text, true), condition as never, text);
  t.deepEqual(readCondition('gte:a', false), { is: 'gte:a' });
});

test('a value of a list that contains a comma is quoted, or has %2C for it', (t) => {
  const lists: Record<string, string[]> = {
    a: ['a'],
    'a,b': ['a', 'b'],
    ' a , b': [' a ', ' b'],
    '"a,b",c': ['a,b', 'c'],
    'a%2Cb,c%2cd,%2': ['a,b', 'c,d', '%2'],
    '"a%2Cb"': ['a%2Cb'],
    '"say ""hi""",b"c': ['say "hi"', 'b"c'],
    '""': [''],
    '': [''],
    'a,': ['a', ''],
    ',,': ['', '', ''],
  };
  for (const [list, values] of Object.entries(lists)) {
    t.deepEqual(readCondition(`any:${list}`, false), { any: values }, list);
    t.deepEqual(readCondition(`none:${list}`, true), { none: values }, list);
  }
  for (const list of ['"a', '"a"b', 'a,"', '"""'])
    t.deepEqual(readCondition(`any:${list}`, false), {
      problem: 'must close each quote, and continue after it with a comma',
    });
});

test('a wrong condition is refused with its pointer and a sentence', (t) => {
  const { input } = operations['contacts.find'];
  const many = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`).join();
  const refused = (filter: object) =>
    input
      .safeParse({ limit: 1, ...filter })
      .error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`);
  const { each, all } = conditionValuesMax;
  const cases: [object, string][] = [
    [{ tag: ['ok', 'any:"a'] }, '/tag/1 must close each quote, and continue after it with a comma'],
    [{ tag: ['any:a,,b'] }, '/tag/0 must be 1 to 64 characters long'],
    [{ tag: ['not:'] }, '/tag/0 must be 1 to 64 characters long'],
    [{ tag: ['x'.repeat(65)] }, '/tag/0 must be 1 to 64 characters long'],
    [{ tag: [`none:${many(each + 1)}`] }, `/tag/0 must have at most ${each} values after none:`],
    [
      { tag: [`any:${many(each)}`, `none:${many(each)}`, 'a'] },
      `/tag must have at most ${all} values in all its conditions together`,
    ],
    [
      { property: { a: `any:${many(each)}`, b: `any:${many(each)}`, c: 'd' } },
      `/property must have at most ${all} values in all its conditions together`,
    ],
    [
      { property: { a: `gt:${'x'.repeat(4097)}` } },
      '/property/a must be at most 4096 characters long',
    ],
  ];
  for (const [filter, error] of cases) t.deepEqual(refused(filter), [error]);
  t.is(refused({ tag: [`any:${many(each)}`, `none:${many(each)}`] }), undefined);
  t.is(refused({ property: { a: 'any:', b: `is:${'x'.repeat(4096)}`, c: 'exists' } }), undefined);
});

test('not and a status is the other status', (t) => {
  const status = (text: string) =>
    operations['contacts.list'].input.safeParse({ status: text }).data?.status;
  t.is(status('not:subscribed'), 'unsubscribed');
  t.is(status('not:unsubscribed'), 'subscribed');
  t.is(status('subscribed'), 'subscribed');
  t.is(status('not:'), undefined);
});
