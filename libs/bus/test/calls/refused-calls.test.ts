import { Fault } from '@roster/contracts';
import test from 'ava';
import { settle } from '../../calls/batching/pending-call.js';
import { add, makeAbsent, queueOf } from './queued-calls.js';

test('refused: calls beyond 4096 without an answer', (t) => {
  const queue = queueOf('contacts.get');
  const { calls } = add(queue, 4096);
  t.is(queue.refusal([queue], 0)?.code, 'unavailable');
  settle(calls[0]!, new Uint8Array());
  t.is(queue.refusal([queue], 0), undefined);
});

test('refused: calls beyond 128 to absent services together, and no calls to other services', (t) => {
  const [get, remove] = [queueOf('contacts.get'), queueOf('contacts.delete')];
  const served = queueOf('users.me');
  const all = [get, remove, served];
  makeAbsent(get, 0);
  makeAbsent(remove, 0);
  add(get, 100);
  add(remove, 25);
  t.is(get.refusal(all, 0), undefined);
  add(remove, 1);
  t.is(get.refusal(all, 0)?.code, 'unavailable');
  add(served, 1000);
  t.is(served.refusal(all, 0), undefined);
});

test('refused: the most recent calls, if a second absent service needs its share', async (t) => {
  const [contacts, users] = [queueOf('contacts.get'), queueOf('users.me')];
  const all = [contacts, users];
  makeAbsent(contacts, 0);
  const { calls, outcomes } = add(contacts, 127);
  makeAbsent(users, 0);
  add(users, 63);
  contacts.makeRoom(all, 0);
  await new Promise(setImmediate);
  t.deepEqual(
    outcomes,
    Array.from({ length: 64 }, () => 'unavailable'),
  );
  t.true(calls.slice(0, 63).every(({ outcome }) => outcome));
  t.is(contacts.length, 64);
  t.is(users.refusal(all, 0)?.code, 'unavailable', 'it has used its share');
});

test('refused: queued calls past their deadline, and all when the connection is lost', async (t) => {
  const queue = queueOf('contacts.delete');
  makeAbsent(queue, 0);
  const late = add(queue, 1, { deadline: 100 });
  const others = add(queue, 2);
  queue.expire(99);
  t.is(queue.open, 4);
  queue.expire(100);
  t.is(queue.open, 3);
  queue.clear(new Fault('unavailable', 'No.'));
  await new Promise(setImmediate);
  t.deepEqual([late.outcomes, others.outcomes], [['unavailable'], ['unavailable', 'unavailable']]);
  t.is(queue.open, 0);
  t.is(queue.length, 0);
  t.false(queue.isAbsent(0), 'the absence is forgotten');
});
