import test from 'ava';
import { RequestBudget } from '../../../graphql/request/request-budget.js';
import {
  serializeInTurns,
  serializeResponse,
} from '../../../graphql/request/serialize-response.js';

const page = Array.from({ length: 400 }, (_, n) => ({ id: `id ${n}`, name: 'x'.repeat(100), n }));

test('a response that is serialized in turns equals one that is serialized at once', async (t) => {
  const data = { first: page, second: null, third: page, 'quoted"': 'x', count: 3 };
  const errors = [{ message: 'partial' }];
  t.true(await serializeInTurns({ data }, new RequestBudget(), async () => {}));
  for (const result of [{ errors, data }, { data }])
    t.is(serializeResponse(result), `${JSON.stringify(result)}\n`);
});

test('each large field of a response is serialized in a slice of its own, and small ones together', async (t) => {
  const small = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`small${n}`, n]));
  const data = { first: page, second: page, third: page, ...small };
  let slices = 0;
  const nextSlice = async () => void (slices += 1);
  t.true(await serializeInTurns({ data }, new RequestBudget(), nextSlice));
  t.is(slices, 4);
});

test('a response beyond the limit is not serialized', async (t) => {
  const data = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`page${n}`, page]));
  t.false(await serializeInTurns({ data }, new RequestBudget(), async () => {}));
});
