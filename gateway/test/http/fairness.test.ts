import test from 'ava';
import { Admission } from '../../http/admission/admission.js';
import type { AdmissionGroup } from '../../http/admission/admission-group.js';

/** Holds all slots that each workspace may have, in turn until none is free. */
function fill(admission: Admission, ...groups: AdmissionGroup[]): void {
  for (const group of groups) while (admission.tryAcquire(group));
}

test('a workspace has at most 7/8 of the slots, and requests without a known workspace 1/8', (t) => {
  const admission = new Admission(256);
  const [large, other, unidentified] = [
    admission.groupOf('large'),
    admission.groupOf('other'),
    admission.groupOf(undefined),
  ];
  fill(admission, large);
  t.is(large.inFlight, 224);
  t.true(admission.tryAcquire(other));
  fill(admission, unidentified);
  t.is(admission.inFlight, 256);
  const alone = new Admission(256);
  const all = alone.groupOf(undefined);
  fill(alone, all);
  t.is(all.inFlight, 32);
});

test('admits workspaces in turn: the wait of one with 4 clients does not grow with the 400 of another', async (t) => {
  const admission = new Admission(16);
  const groups = { large: admission.groupOf('large'), small: admission.groupOf('small') };
  const order: (keyof typeof groups)[] = [];
  const inFlight: (keyof typeof groups)[] = [];
  let refused = 0;
  /** A client that sends its next request when the last one was answered. */
  async function client(name: keyof typeof groups): Promise<void> {
    const admitted = admission.tryAcquire(groups[name]) || (await admission.acquire(groups[name]));
    if (!admitted) return void (refused += 1);
    order.push(name);
    inFlight.push(name);
  }
  for (let n = 0; n < 400; n += 1) void client('large');
  // All that the large workspace left.
  while (admission.tryAcquire(groups.small)) inFlight.push('small');
  for (let n = 0; n < 4; n += 1) void client('small');
  await Promise.resolve();
  order.length = 0;
  for (let answered = 0; answered < 400; answered += 1) {
    const name = inFlight.shift()!;
    admission.release(groups[name]);
    void client(name);
    await Promise.resolve();
  }
  t.is(refused, 0);
  const served = order.filter((name) => name === 'small').length;
  t.true(served >= 95, `${served} of ${order.length}`);
  // In turn while both have queued requests, and otherwise after the answers to its own requests in flight.
  let waited = 0;
  let longest = 0;
  for (const name of order)
    longest = Math.max(longest, (waited = name === 'small' ? 0 : waited + 1));
  t.true(longest <= 16, `${longest} others in a row`);
});

test('a queued request gets the first slot that its workspace may use', async (t) => {
  const admission = new Admission(8);
  const [large, small] = [admission.groupOf('large'), admission.groupOf('small')];
  fill(admission, large, small);
  const order: string[] = [];
  const wait = async (name: string, group: AdmissionGroup) => {
    if (await admission.acquire(group)) order.push(name);
  };
  const waiting = [
    wait('large', large),
    wait('large', large),
    wait('large', large),
    wait('small', small),
    wait('small', small),
  ];
  for (let n = 0; n < 5; n += 1) admission.release(large);
  await Promise.all(waiting);
  t.deepEqual(order, ['small', 'large', 'small', 'large', 'large']);
  t.is(admission.queued, 0);
});

test('connections are paused while requests of their own workspace are queued only', (t) => {
  const admission = new Admission(8);
  const [large, small] = [admission.groupOf('large'), admission.groupOf('small')];
  fill(admission, large);
  void admission.acquire(large);
  const paused: string[] = [];
  const connection = (name: string) => ({ pause: () => paused.push(name), resume: () => {} });
  admission.hold(connection('small'), small);
  admission.hold(connection('large'), large);
  t.deepEqual(paused, ['large']);
  admission.resumeAll();
});

test('keeps no group of a workspace without requests', (t) => {
  const admission = new Admission(8);
  const kept = admission.groupOf('kept');
  t.true(admission.tryAcquire(kept));
  const unused = admission.groupOf('unused');
  for (let n = 0; n < 1_000; n += 1) admission.groupOf(`workspace ${n}`);
  t.is(admission.groupOf('kept'), kept);
  t.not(admission.groupOf('unused'), unused);
});
