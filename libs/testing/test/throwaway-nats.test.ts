import { existsSync } from 'node:fs';
import { connect } from 'node:net';

import test from 'ava';

import { throwawayNats } from '../index.js';

test('restarts on the same port after a kill, and leaves no data behind', async (t) => {
  const nats = await throwawayNats();
  const firstPid = nats.pid;
  nats.kill('SIGKILL');
  await nats.exited;
  await nats.restart();

  t.not(nats.pid, firstPid);
  const greeting = await new Promise<string>((resolve, reject) => {
    const socket = connect(nats.port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
  });
  t.true(greeting.startsWith('INFO '));

  await nats.stop();
  t.false(existsSync(nats.dataDir));
});
