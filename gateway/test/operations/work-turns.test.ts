import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { WorkTurns } from '../../operations/work-turns.js';

test('gives a slice when those before it have taken their time, to the workspaces in turn', async (t) => {
  const turns = new WorkTurns(0);
  const order: string[] = [];
  const slices = ['one', 'one', 'one', 'other', 'other'].map((workspaceId) =>
    turns.next(workspaceId).then(() => order.push(workspaceId)),
  );
  for (let given = 0; given < slices.length; given += 1) {
    t.is(order.length, given);
    await setImmediate();
  }
  t.deepEqual(order, ['one', 'other', 'one', 'other', 'one']);
});

test('gives a slice to a workspace that returns after its last one', async (t) => {
  const turns = new WorkTurns();
  for (let slice = 0; slice < 3; slice += 1) await turns.next('one');
  await Promise.all([turns.next('one'), turns.next('other')]);
  t.pass();
});

test('gives several slices in a turn of the event loop, each when the one before is done', async (t) => {
  const turns = new WorkTurns(Infinity);
  const steps: string[] = [];
  const slice = async (name: string) => {
    await turns.next(name);
    for (let step = 0; step < 5; step += 1) {
      steps.push(name);
      await Promise.resolve();
    }
  };
  const slices = Promise.all([slice('one'), slice('other')]);
  await setImmediate();
  t.deepEqual(
    steps,
    ['one', 'other'].flatMap((name) => Array.from({ length: 5 }, () => name)),
  );
  await slices;
});
