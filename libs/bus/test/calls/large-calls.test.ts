import { operations, type Caller, type Fault } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { EventEmitter } from 'node:events';
import { LargeCalls } from '../../calls/batching/large-calls.js';
import type { PendingCall } from '../../calls/batching/pending-call.js';
import { steadyNow } from '../../wire.js';

const mib = 1024 * 1024;

function callOf(workspaceId: string): PendingCall {
  return {
    caller: { workspaceId } as Caller,
    operation: operations['contacts.list'],
    large: {},
    encoded: '',
    bytes: 9,
    deadline: Infinity,
    queuedAt: 0,
    order: 0,
    queue: { close: () => undefined },
    outcome: Promise.withResolvers<Uint8Array>(),
  };
}

/** Calls of which the first is sent and never answered, so that all others wait. */
function filled() {
  const releases: (() => void)[] = [];
  const large = new LargeCalls((_, giveBack) => releases.push(giveBack));
  large.add(callOf('first'), 24 * mib);
  const faults: Fault[] = [];
  const add = (workspaceId: string, count: number, bytes: number): void => {
    for (let n = 0; n < count; n += 1) {
      const call = callOf(workspaceId);
      call.outcome!.promise.catch((fault: Fault) => faults.push(fault));
      large.add(call, bytes);
    }
  };
  /** Number of calls that are refused within a second, and do not wait until their deadline. */
  const refused = async (): Promise<number> => {
    large.expire(steadyNow() + 1000);
    await Promise.resolve();
    return faults.length;
  };
  return { large, add, refused, faults, releases };
}

test('the calls of a workspace wait for 96 MiB of results until their deadline, and further ones for a second', async (t) => {
  const { large, add, refused, faults, releases } = filled();
  add('a', 6, 16 * mib);
  t.is(await refused(), 0);
  add('a', 1, 16 * mib);
  add('b', 1, 16 * mib);
  large.expire(steadyNow());
  await Promise.resolve();
  t.deepEqual(faults, []);
  t.is(await refused(), 1);
  t.is(faults[0]!.code, 'unavailable');
  t.is(faults[0]!.details.retryAfterSeconds, 1);
  t.is(large.open, 8, 'one sent, seven waiting');
  releases[0]!();
  large.pump();
  t.is(releases.length, 2);
  add('a', 2, 16 * mib);
  t.is(await refused(), 2, 'one more may wait, because one was sent');
});

test('a call beyond what may wait until the deadline is sent if there is memory for it within a second', async (t) => {
  const { large, add, releases, faults } = filled();
  add('a', 8, 16 * mib);
  for (let n = 0; n < 8; n += 1) {
    releases[n]!();
    large.pump();
  }
  t.is(releases.length, 9);
  await Promise.resolve();
  t.deepEqual(faults, []);
});

test('refuses calls of a workspace immediately while 512 of it wait', async (t) => {
  const { add, faults } = filled();
  add('a', 600, 1);
  add('b', 1, 1);
  await Promise.resolve();
  t.is(faults.length, 600 - 512);
});

test('one call of each workspace waits until its deadline even if others wait for all of 192 MiB', async (t) => {
  const { add, refused } = filled();
  for (const workspaceId of ['a', 'b']) add(workspaceId, 6, 16 * mib);
  add('c', 1, 200 * mib);
  t.is(await refused(), 0);
  add('c', 1, 1);
  t.is(await refused(), 1);
});

test('a large result is sent although another workspace always waits for smaller ones', (t) => {
  const sent: { workspaceId: string; giveBack: () => void }[] = [];
  const large = new LargeCalls(({ caller: { workspaceId } }, giveBack) =>
    sent.push({ workspaceId, giveBack }),
  );
  const add = (workspaceId: string, bytes: number) => large.add(callOf(workspaceId), bytes);
  for (let n = 0; n < 16; n += 1) add('small', 5 * mib);
  add('large', 20 * mib);
  t.deepEqual(
    sent.map(({ workspaceId }) => workspaceId),
    ['small', 'small', 'small'],
    '15 of 24 MiB are in use',
  );
  for (let read = 0; read < 4; read += 1) {
    sent[read]!.giveBack();
    add('small', 5 * mib);
  }
  t.true(sent.slice(0, 4).some(({ workspaceId }) => workspaceId === 'large'));
});

test('a result for which there is not enough memory does not delay another workspace without one', (t) => {
  const { add, large, releases } = filled();
  releases[0]!();
  large.pump();
  add('a', 3, 8 * mib);
  add('b', 1, 16 * mib);
  const before = releases.length;
  add('c', 1, 8 * mib);
  t.is(releases.length, before + 1);
});

test('all results of a reader are in memory until it closes, for which it has one listener', (t) => {
  const sent: { call: PendingCall; giveBack: () => void }[] = [];
  const large = new LargeCalls((call, giveBack) => sent.push({ call, giveBack }));
  const reader = Object.assign(new EventEmitter(), { destroyed: false });
  for (let n = 0; n < 12; n += 1) large.add({ ...callOf('a'), large: { reader } }, mib);
  for (const { call, giveBack } of sent.slice()) large.answered(call, mib, giveBack);
  t.is(reader.listenerCount('close'), 1);
  large.add(callOf('a'), 16 * mib);
  t.is(sent.length, 12, 'the memory is in use');
  reader.emit('close');
  t.is(sent.length, 13);
});

test('while another workspace makes calls, one large call of a workspace is in flight', (t) => {
  const sent: [workspaceId: string, giveBack: () => void][] = [];
  const large = new LargeCalls(({ caller }, giveBack) => sent.push([caller.workspaceId, giveBack]));
  const order = () => sent.map(([workspaceId]) => workspaceId);
  const now = performance.now();
  large.called('other', now + 60_000);
  const first = callOf('heavy');
  large.add(first, mib);
  large.add(callOf('heavy'), mib);
  large.add(callOf('other'), mib);
  t.deepEqual(order(), ['heavy', 'other']);
  large.failed(first, sent[0]![1]);
  large.expire(steadyNow());
  t.is(large.open, 3, 'none of the calls is answered');
});

test('a workspace whose large call failed sends the next one', async (t) => {
  const sent: (() => void)[] = [];
  const large = new LargeCalls((_, giveBack) => sent.push(giveBack));
  large.called('other', performance.now() + 60_000);
  const first = callOf('heavy');
  large.add(first, mib);
  large.add(callOf('heavy'), mib);
  t.is(sent.length, 1);
  large.failed(first, sent[0]!);
  await eventually(() => {
    large.expire(steadyNow());
    return sent.length === 2;
  });
  t.pass();
});
