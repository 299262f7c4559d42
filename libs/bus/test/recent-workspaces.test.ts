import test from 'ava';
import { RecentWorkspaces } from '../recent-workspaces.js';

test('another workspace is active for 100 ms after its last call, whatever the calls in between', (t) => {
  const recent = new RecentWorkspaces();
  t.false(recent.isOtherActive('one', 0));
  recent.add('two', 0);
  for (let now = 1; now < 50; now += 1) recent.add('one', now);
  t.true(recent.isOtherActive('one', 99));
  t.false(recent.isOtherActive('one', 100));
  t.true(recent.isOtherActive('two', 148));
  recent.add('three', 150);
  t.true(recent.isOtherActive('one', 200));
  t.false(recent.isOtherActive('three', 200));
});
