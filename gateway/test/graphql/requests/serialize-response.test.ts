import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { RequestBudget } from '../../../graphql/request/request-budget.js';
import {
  serializeInTurns,
  serializeResponse,
} from '../../../graphql/request/serialize-response.js';
import { WorkTurns } from '../../../operations/work-turns.js';

const page = Array.from({ length: 400 }, (_, n) => ({ id: `id ${n}`, name: 'x'.repeat(100), n }));

test('a response that is serialized in turns equals one that is serialized at once', async (t) => {
  const data = { first: page, second: null, third: page, 'quoted"': 'x', count: 3 };
  const errors = [{ message: 'partial' }];
  t.true(await serializeInTurns({ data }, new RequestBudget(), new WorkTurns(), 'one'));
  for (const result of [{ errors, data }, { data }])
    t.is(serializeResponse(result), `${JSON.stringify(result)}\n`);
});

test('large fields of a response are serialized in separate turns of the event loop', async (t) => {
  const data = { first: page, second: page, third: page };
  let turns = 0;
  const counted = async () => {
    for (; turns < 1000; turns += 1) await setImmediate();
  };
  void counted();
  t.true(await serializeInTurns({ data }, new RequestBudget(), new WorkTurns(), 'one'));
  t.true(turns >= 3, `${turns} turns`);
});

test('a response beyond the limit is not serialized', async (t) => {
  const data = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`page${n}`, page]));
  t.false(await serializeInTurns({ data }, new RequestBudget(), new WorkTurns(), 'one'));
});
