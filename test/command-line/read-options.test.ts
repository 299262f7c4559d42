import test from 'ava';
import { OptionsError, readNames, readOptions } from './read-options.js';

const defaults = { seconds: 5, keep: false };

test('omitted options have their defaults', (t) => {
  t.deepEqual(readOptions([], defaults), defaults);
  t.deepEqual(readOptions(['--keep'], defaults), { seconds: 5, keep: true });
  t.deepEqual(readOptions(['--seconds', '0.5'], defaults), { seconds: 0.5, keep: false });
});

test('an unknown option or an invalid number is rejected in one line', (t) => {
  for (const value of ['few', '0', '-1', 'Infinity', ''])
    t.throws(() => readOptions([`--seconds=${value}`], defaults), {
      instanceOf: OptionsError,
      message: `--seconds must be a number above 0, not "${value}".`,
    });
  for (const args of [['--second', '5'], ['--keep=yes'], ['extra'], ['--seconds']])
    t.throws(() => readOptions(args, defaults), { instanceOf: OptionsError, message: /^[^\n]+$/ });
});

test('names of parts stand before the options, in any order, and without names all are run', (t) => {
  const known = ['one', 'two', 'three'] as const;
  t.deepEqual(readNames([], known), { names: known, rest: [] });
  t.deepEqual(readNames(['--keep'], known), { names: known, rest: ['--keep'] });
  const { names, rest } = readNames(['three', 'one', '--seconds', '2'], known);
  t.deepEqual(
    [names, rest],
    [
      ['one', 'three'],
      ['--seconds', '2'],
    ],
  );
  t.throws(() => readNames(['four', '--keep'], known), {
    instanceOf: OptionsError,
    message: 'There is no part "four". The parts are one, two, three.',
  });
});
