import { Fault } from '@roster/contracts';
import test from 'ava';
import { Contended, faultOf, isolateFailures } from '../index.js';

/** Answers each item in capitals, unless `fail` throws, and notes what was handled together. */
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

test('what can be handled together is handled once', async (t) => {
  const { handled, handle } = handlerThat(() => undefined);
  t.deepEqual(await isolateFailures(['a', 'b'], handle, faultOf), ['A', 'B']);
  t.deepEqual(handled, ['ab']);
});

test('an item that breaks the handler fails alone, and its error is for the log', async (t) => {
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

test('an item that needs what somebody else holds is refused alone', async (t) => {
  const { handled, handle } = handlerThat((items) => {
    if (items.includes('b')) throw new Contended({ reason: 'locked', cause: undefined });
  });
  const results = await isolateFailures(['a', 'b', 'c'], handle, faultOf);
  t.deepEqual(codes(results), ['A', 'unavailable', 'C']);
  t.deepEqual(handled, ['abc', 'a', 'b', 'c']);
});

test('nothing is repeated that was refused, or has an unknown outcome', async (t) => {
  for (const code of ['timeout', 'unavailable'] as const) {
    const { handled, handle } = handlerThat(() => {
      throw new Fault(code, 'No.');
    });
    t.deepEqual(codes(await isolateFailures(['a', 'b'], handle, faultOf)), [code, code]);
    t.deepEqual(handled, ['ab']);
  }
});

test('nothing is repeated that a handler answered with too few answers: it has happened', async (t) => {
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
