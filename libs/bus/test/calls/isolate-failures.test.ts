import { Fault } from '@roster/contracts';
import test from 'ava';
import { Contended, faultOf, isolateFailures } from '../../index.js';

/** Answers each item in upper case unless `fail` throws, and records which items were handled together. */
function handlerThat(fail: (items: string[]) => void) {
  const handled: string[] = [];
  const handle = async (items: string[]): Promise<(string | Fault)[]> => {
    handled.push(items.join(''));
    fail(items);
    return items.map((item) => item.toUpperCase());
  };
  return { handled, handle };
}
const codes = (results: (string | Fault)[]) =>
  results.map((result) => (result instanceof Fault ? result.code : result));

test('items are handled together, once, if the handler does not throw', async (t) => {
  const { handled, handle } = handlerThat(() => undefined);
  t.deepEqual(await isolateFailures(['a', 'b'], handle, faultOf), ['A', 'B']);
  t.deepEqual(handled, ['ab']);
});

test('an item whose handler throws does not fail the others, and its error is only in the reason', async (t) => {
  const { handled, handle } = handlerThat((items) => {
    if (items.includes('b')) throw new Error('boom');
  });
  const results = await isolateFailures(['a', 'b', 'c'], handle, faultOf);
  t.deepEqual(codes(results), ['A', 'internal', 'C']);
  t.deepEqual(handled, ['abc', 'a', 'b', 'c']);
  const { message, reason } = results[1] as Fault;
  t.notRegex(message, /boom/);
  t.regex(reason!, /boom/);
});

test('an item that needs a lock held by another transaction does not fail the others', async (t) => {
  const { handled, handle } = handlerThat((items) => {
    if (items.includes('b')) throw new Contended({ reason: 'locked', cause: undefined });
  });
  const results = await isolateFailures(['a', 'b', 'c'], handle, faultOf);
  t.deepEqual(codes(results), ['A', 'unavailable', 'C']);
  t.deepEqual(handled, ['abc', 'a', 'b', 'c']);
});

test('a refusal or an unknown outcome applies to all items, and none is handled again', async (t) => {
  for (const code of ['timeout', 'unavailable'] as const) {
    const { handled, handle } = handlerThat(() => {
      throw new Fault(code, 'No.');
    });
    t.deepEqual(codes(await isolateFailures(['a', 'b'], handle, faultOf)), [code, code]);
    t.deepEqual(handled, ['ab']);
  }
});

test('no item is handled again if the handler returned too few answers: it may have been applied', async (t) => {
  let handled = 0;
  const results = await isolateFailures<string, string | Fault>(
    ['a', 'b'],
    async () => {
      handled += 1;
      return ['A'];
    },
    faultOf,
  );
  t.deepEqual(codes(results), ['internal', 'internal']);
  t.is(handled, 1);
});
