import { eventually } from '@roster/testing';
import test from 'ava';
import type { PausableConnection } from '../../http/admission/admission-group.js';
import { Admission } from '../../http/admission/admission.js';

test('gives free slots in the order of the queue', async (t) => {
  const admission = new Admission(2);
  const group = admission.groupOf('workspace');
  t.true(admission.tryAcquire(group));
  t.true(admission.tryAcquire(group));
  t.false(admission.tryAcquire(group));
  const admitted: number[] = [];
  const queued = [0, 1, 2].map(async (n) => {
    if (await admission.acquire(group)) admitted.push(n);
  });
  admission.release(group);
  admission.release(group);
  await Promise.all(queued);
  t.deepEqual(admitted, [0, 1], 'the third was refused');
  t.is(admission.inFlight, 2);
  admission.release(group);
  admission.release(group);
  t.is(admission.inFlight, 0);
  t.true(admission.tryAcquire(group));
});

test('refuses at most 20 requests per tick, from the front of the queue', async (t) => {
  const admission = new Admission(1);
  const group = admission.groupOf('workspace');
  admission.tryAcquire(group);
  const refused: number[] = [];
  const queued = Array.from({ length: 100 }, async (_, n) => {
    if (!(await admission.acquire(group))) refused.push(n);
  });
  // The first tick that refuses any.
  await queued[0];
  t.true(refused.length <= 20, `${refused.length} at once`);
  await Promise.all(queued);
  t.deepEqual(
    refused,
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test('refuses further requests of a workspace immediately when 8,750 are queued, and queues those of others', async (t) => {
  const admission = new Admission(1);
  const group = admission.groupOf('workspace');
  admission.tryAcquire(group);
  let admitted = 0;
  for (let n = 0; n < 8_750; n += 1) void admission.acquire(group).then(() => (admitted += 1));
  const other = admission.groupOf('other');
  const neighbour = admission.acquire(other);
  t.false(await admission.acquire(group));
  t.is(admitted, 0, 'refused before the queued ones');
  admission.release(group);
  admission.release(group);
  t.true(await neighbour);
  admission.release(other);
  for (let n = 0; n < 8_749; n += 1) admission.release(group);
  await new Promise(setImmediate);
  t.is(admitted, 8_750);
  t.is(admission.inFlight, 0);
});

class Connection implements PausableConnection {
  isPaused = false;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}

test('does not pause connections while no request is queued', (t) => {
  const admission = new Admission(1);
  const group = admission.groupOf('workspace');
  admission.tryAcquire(group);
  const connection = new Connection();
  admission.hold(connection, group);
  t.false(connection.isPaused);
});

test('pauses connections after their response while requests are queued, and resumes them in turn', async (t) => {
  const admission = new Admission(1);
  const group = admission.groupOf('workspace');
  admission.tryAcquire(group);
  const queued = admission.acquire(group);
  const [first, second] = [new Connection(), new Connection()];
  admission.hold(first, group);
  admission.hold(second, group);
  t.true(first.isPaused && second.isPaused);
  admission.release(group);
  t.true(await queued, 'requests already received come first');
  t.true(first.isPaused);
  admission.release(group);
  t.false(first.isPaused);
  t.true(second.isPaused);
  t.true(admission.tryAcquire(group));
  admission.release(group);
  t.false(second.isPaused);
});

test('resumes the next connection if the resumed one is idle', async (t) => {
  const admission = new Admission(2);
  const group = admission.groupOf('workspace');
  admission.tryAcquire(group);
  admission.tryAcquire(group);
  const queued = admission.acquire(group);
  const connections = Array.from({ length: 10 }, () => new Connection());
  for (const connection of connections) admission.hold(connection, group);
  admission.release(group);
  admission.release(group);
  t.true(await queued);
  await eventually(() => connections.every(({ isPaused }) => !isPaused));
});

test('resumes a connection although no slot becomes free, so that its request can be refused', async (t) => {
  const admission = new Admission(1);
  const group = admission.groupOf('workspace');
  admission.tryAcquire(group);
  t.false(await Promise.all([admission.acquire(group), holdOne()]).then(([admitted]) => admitted));

  async function holdOne() {
    const connection = new Connection();
    admission.hold(connection, group);
    t.true(connection.isPaused);
    await eventually(() => !connection.isPaused);
  }
});

test('resumeAll resumes all connections, and later ones are not paused', (t) => {
  const admission = new Admission(1);
  const group = admission.groupOf('workspace');
  admission.tryAcquire(group);
  void admission.acquire(group);
  const connections = Array.from({ length: 3 }, () => new Connection());
  for (const connection of connections) admission.hold(connection, group);
  admission.resumeAll();
  const late = new Connection();
  admission.hold(late, group);
  t.true([...connections, late].every(({ isPaused }) => !isPaused));
});
