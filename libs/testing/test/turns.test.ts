import { once } from 'node:events';
import { connect } from 'node:net';

import test, { type ExecutionContext } from 'ava';

import { eventually } from '../eventually.js';
import { offerTurns } from '../runner/turns.js';

test('files run as long as they fit together, a light one before a heavy one that does not, and one too heavy alone', async (t) => {
  const file = await openTurns(t, 4);
  const [whole, heavy] = [file(3), file(2)];
  await eventually(() => whole.runs());
  const light = file(1);
  await eventually(() => light.runs());
  t.false(heavy.runs());

  whole.end();
  await eventually(() => heavy.runs());
  const tooHeavy = file(9);
  heavy.end();
  const other = file(2);
  await eventually(() => other.runs());
  t.false(tooHeavy.runs());
  for (const one of [light, other]) one.end();
  await eventually(() => tooHeavy.runs());
});

test('a file that ends while it waits takes no turn', async (t) => {
  const file = await openTurns(t, 1);
  const first = file(1);
  await eventually(() => first.runs());
  const [ended, last] = [file(1), file(1)];
  ended.end();
  await ended.closed;
  first.end();
  await eventually(() => last.runs());
  t.false(ended.runs());
});

async function openTurns(t: ExecutionContext, capacity: number) {
  const turns = await offerTurns(capacity);
  const connections: ReturnType<typeof connect>[] = [];
  t.teardown(async () => {
    for (const connection of connections) connection.destroy();
    await turns.end();
  });
  return (weight: number) => {
    const connection = connect(turns.socket);
    connections.push(connection);
    let runs = false;
    connection.on('data', () => (runs = true));
    connection.write(`${weight}\n`);
    return {
      runs: () => runs,
      end: () => connection.end(),
      closed: once(connection, 'close'),
    };
  };
}
