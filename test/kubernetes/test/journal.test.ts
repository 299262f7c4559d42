import test from 'ava';
import { RequiredCheckFailed, Journal, PromiseViolated, summaryOf } from '../journal.js';

test('every check is printed on one line with its result, and the last line counts them', async (t) => {
  const lines: string[] = [];
  const journal = new Journal((line) => lines.push(line.replace(/[\d.]+ s\)/, 'N s)')));
  t.true(await journal.check('a promise that is kept', () => '3 objects'));
  t.false(
    await journal.check('a promise that is broken', () => {
      throw new PromiseViolated(['this', 'that']);
    }),
  );
  journal.skip('another', 'there is no node for it');
  t.deepEqual(lines, [
    '✔ a promise that is kept (3 objects; N s)',
    '✘ a promise that is broken (N s)',
    '    this',
    '    that',
    '- another: not checked, there is no node for it',
  ]);
  t.is(journal.verdict(), '1 passed, 1 failed, 1 not checked');
});

test('after a failed required check, no other check runs', async (t) => {
  const journal = new Journal(() => undefined);
  await t.throwsAsync(
    journal.require('a foundation', () => {
      throw new Error('is missing');
    }),
    { instanceOf: RequiredCheckFailed, message: 'a foundation' },
  );
  t.is(journal.verdict(), '0 passed, 1 failed');
});

test('the summary of a run has its commit, its verdict and each check, but no notes', async (t) => {
  const lines: string[] = [];
  const journal = new Journal((line) => lines.push(line));
  await journal.check('a promise that is kept', () => undefined);
  journal.note('something printed by a pod');
  await journal.check('a promise that is broken', () => {
    throw new PromiseViolated(['why']);
  });
  t.regex(
    summaryOf(lines, journal.verdict(), 'c0ffee'),
    /^\d{4}-\d\d-\d\d, commit c0ffee: 1 passed, 1 failed\n\n✔ [^\n]+\n✘ [^\n]+\n {4}why\n$/,
  );
});
