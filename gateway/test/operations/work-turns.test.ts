import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { WorkTurns } from '../../operations/work-turns.js';

test('gives one slice in each turn of the event loop, to the workspaces in turn', async (t) => {
  const turns = new WorkTurns();
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
