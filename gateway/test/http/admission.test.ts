import { eventually } from '@roster/testing';
import test from 'ava';
import { Admission, type PausableConnection } from '../../http/admission/admission.js';

test('gives free slots in the order of the queue', async (t) => {
  const admission = new Admission(2);
  t.true(admission.tryAcquire());
  t.true(admission.tryAcquire());
  t.false(admission.tryAcquire());
  const admitted: number[] = [];
  const queued = [0, 1, 2].map(async (n) => {
    if (await admission.acquire()) admitted.push(n);
  });
  admission.release();
  admission.release();
  await Promise.all(queued);
  t.deepEqual(admitted, [0, 1], 'the third was refused');
  t.is(admission.inFlight, 2);
  admission.release();
  admission.release();
  t.is(admission.inFlight, 0);
  t.true(admission.tryAcquire());
});

test('refuses at most 20 requests per tick, from the front of the queue', async (t) => {
  const admission = new Admission(1);
  admission.tryAcquire();
  const refused: number[] = [];
  const queued = Array.from({ length: 100 }, async (_, n) => {
    if (!(await admission.acquire())) refused.push(n);
  });
  // The last of the 20 refusals of one tick has been given.
  await queued[19];
  t.true(refused.length <= 20, `${refused.length} at once`);
  await Promise.all(queued);
  t.deepEqual(
    refused,
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test('refuses further requests immediately when 10,000 are queued', async (t) => {
  const admission = new Admission(1);
  admission.tryAcquire();
  let admitted = 0;
  for (let n = 0; n < 10_000; n += 1) void admission.acquire().then(() => (admitted += 1));
  t.false(await admission.acquire());
  t.is(admitted, 0, 'refused before the queued ones');
  for (let n = 0; n < 10_001; n += 1) admission.release();
  await new Promise(setImmediate);
  t.is(admitted, 10_000);
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
  admission.tryAcquire();
  const connection = new Connection();
  admission.hold(connection);
  t.false(connection.isPaused);
});

test('pauses connections after their response while requests are queued, and resumes them in turn', async (t) => {
  const admission = new Admission(1);
  admission.tryAcquire();
  const queued = admission.acquire();
  const [first, second] = [new Connection(), new Connection()];
  admission.hold(first);
  admission.hold(second);
  t.true(first.isPaused && second.isPaused);
  admission.release();
  t.true(await queued, 'requests already received come first');
  t.true(first.isPaused);
  admission.release();
  t.false(first.isPaused);
  t.true(second.isPaused);
  t.true(admission.tryAcquire());
  admission.release();
  t.false(second.isPaused);
});

test('resumes the next connection if the resumed one is idle', async (t) => {
  const admission = new Admission(2);
  admission.tryAcquire();
  admission.tryAcquire();
  const queued = admission.acquire();
  const connections = Array.from({ length: 10 }, () => new Connection());
  for (const connection of connections) admission.hold(connection);
  admission.release();
  admission.release();
  t.true(await queued);
  await eventually(() => connections.every(({ isPaused }) => !isPaused));
});

test('resumes a connection although no slot becomes free, so that its request can be refused', async (t) => {
  const admission = new Admission(1);
  admission.tryAcquire();
  t.false(await Promise.all([admission.acquire(), holdOne()]).then(([admitted]) => admitted));

  async function holdOne() {
    const connection = new Connection();
    admission.hold(connection);
    t.true(connection.isPaused);
    await eventually(() => !connection.isPaused);
  }
});

test('resumeAll resumes all connections, and later ones are not paused', (t) => {
  const admission = new Admission(1);
  admission.tryAcquire();
  void admission.acquire();
  const connections = Array.from({ length: 3 }, () => new Connection());
  for (const connection of connections) admission.hold(connection);
  admission.resumeAll();
  const late = new Connection();
  admission.hold(late);
  t.true([...connections, late].every(({ isPaused }) => !isPaused));
});
