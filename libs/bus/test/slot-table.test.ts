import test from 'ava';
import { SlotTable } from '../index.js';

test('a freed slot is reused, and the items in other slots are kept', (t) => {
  const slots = new SlotTable<string>();
  t.true(slots.isEmpty);
  const [a, b] = [slots.put('a'), slots.put('b')];
  slots.free(a);
  t.is(slots.get(a), undefined);
  t.is(slots.put('c'), a);
  t.is(slots.get(b), 'b');
  t.deepEqual(slots.items(), ['c', 'b']);
  slots.free(a);
  slots.free(b);
  t.true(slots.isEmpty);
  t.deepEqual(slots.items(), []);
});
