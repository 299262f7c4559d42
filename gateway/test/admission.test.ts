import test from 'ava';
import { Admission } from '../http/admission.js';

test('places that become free are given in the order of the line', async (t) => {
  const admission = new Admission(2);
  t.true(admission.enter());
  t.true(admission.enter());
  t.false(admission.enter());
  const admitted: number[] = [];
  const line = [0, 1, 2].map(async (n) => {
    if (await admission.wait()) admitted.push(n);
  });
  admission.leave();
  admission.leave();
  await Promise.all(line);
  t.deepEqual(admitted, [0, 1], 'the third was refused');
  t.is(admission.taken, 2);
  admission.leave();
  admission.leave();
  t.is(admission.taken, 0);
  t.true(admission.enter());
});

test('refusals are given a few at a time, from the front', async (t) => {
  const admission = new Admission(1);
  admission.enter();
  const refused: number[] = [];
  const line = Array.from({ length: 100 }, async (_, n) => {
    if (!(await admission.wait())) refused.push(n);
  });
  await line[0];
  await new Promise(setImmediate);
  t.true(refused.length <= 20, `${refused.length} at once`);
  await Promise.all(line);
  t.deepEqual(
    refused,
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test('a line of ten thousand takes nobody else', async (t) => {
  const admission = new Admission(1);
  admission.enter();
  let answered = 0;
  for (let n = 0; n < 10_000; n += 1) void admission.wait().then(() => (answered += 1));
  t.false(await admission.wait());
  t.is(answered, 0, 'it was refused before those that wait');
  for (let n = 0; n < 10_001; n += 1) admission.leave();
  await new Promise(setImmediate);
  t.is(answered, 10_000);
  t.is(admission.taken, 0);
});
