import { eventually } from '@roster/testing';
import test from 'ava';
import { Admission } from '../http/admission/admission.js';

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
  // All that one tick refuses have learned it when the last of them has.
  await line[19];
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

class Connection {
  isRead = true;
  pause() {
    this.isRead = false;
  }
  resume() {
    this.isRead = true;
  }
}

test('a connection is read on while nobody waits', (t) => {
  const admission = new Admission(1);
  admission.enter();
  const connection = new Connection();
  admission.hold(connection);
  t.true(connection.isRead);
});

test('while others wait, connections that had their answer are read in turn', async (t) => {
  const admission = new Admission(1);
  admission.enter();
  const waiting = admission.wait();
  const [first, second] = [new Connection(), new Connection()];
  admission.hold(first);
  admission.hold(second);
  t.false(first.isRead || second.isRead);
  admission.leave();
  t.true(await waiting, 'those whose request is here already come first');
  t.false(first.isRead);
  admission.leave();
  t.true(first.isRead);
  t.false(second.isRead);
  t.true(admission.enter());
  admission.leave();
  t.true(second.isRead);
});

test('an idle connection does not keep its turn from those behind it', async (t) => {
  const admission = new Admission(2);
  admission.enter();
  admission.enter();
  const waiting = admission.wait();
  const connections = Array.from({ length: 10 }, () => new Connection());
  for (const connection of connections) admission.hold(connection);
  admission.leave();
  admission.leave();
  t.true(await waiting);
  await eventually(() => connections.every(({ isRead }) => isRead));
});

test('whoever waits in vain behind full places is read too, to be refused', async (t) => {
  const admission = new Admission(1);
  admission.enter();
  t.false(await Promise.all([admission.wait(), holdOne()]).then(([admitted]) => admitted));

  async function holdOne() {
    const connection = new Connection();
    admission.hold(connection);
    t.false(connection.isRead);
    await eventually(() => connection.isRead);
  }
});

test('in the end all are read', (t) => {
  const admission = new Admission(1);
  admission.enter();
  void admission.wait();
  const connections = Array.from({ length: 3 }, () => new Connection());
  for (const connection of connections) admission.hold(connection);
  admission.release();
  const late = new Connection();
  admission.hold(late);
  t.true([...connections, late].every(({ isRead }) => isRead));
});
