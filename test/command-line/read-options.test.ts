import test from 'ava';
import { OptionsError, readOptions } from './read-options.js';

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
