import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

import test from 'ava';

import { startNats } from '../index.js';
import { temporaryDirectory } from './temporary-directory.js';

test('serves JetStream on loopback', async (t) => {
  const server = await startNats({
    dataDir: await temporaryDirectory(t, 'roster-test embedded-"'),
  });
  t.teardown(() => server.stop());
  const info = await greeting(server.port);
  t.true(info.jetstream);
  t.is(info.host, '127.0.0.1');
  t.is(server.url, `nats://127.0.0.1:${server.port}`);
});

test('restarts on the same port and data after a SIGKILL', async (t) => {
  const dataDir = await temporaryDirectory(t, 'roster-test embedded-"');
  const first = await startNats({ dataDir });
  first.kill('SIGKILL');
  await first.exited;
  const again = await startNats({ dataDir, port: first.port });
  t.teardown(() => again.stop());
  t.true((await greeting(first.port)).jetstream);
});

test('reports that a server already runs on the directory', async (t) => {
  const dataDir = await temporaryDirectory(t, 'roster-test embedded-"');
  const server = await startNats({ dataDir });
  t.teardown(() => server.stop());
  await t.throwsAsync(startNats({ dataDir }), {
    message: `NATS is already running on ${dataDir} (pid ${server.pid}).`,
  });
});

test('syncs at the configured interval', async (t) => {
  const dataDir = await temporaryDirectory(t, 'roster-test embedded-"');
  const server = await startNats({ dataDir, syncInterval: 'always' });
  t.teardown(() => server.stop());
  t.regex(await readFile(join(dataDir, 'nats.conf'), 'utf8'), /"sync_interval":"always"/);
});

test('reports a port that is in use', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  await t.throwsAsync(
    startNats({ dataDir: await temporaryDirectory(t, 'roster-test embedded-"'), port }),
    {
      message: `NATS cannot listen on 127.0.0.1:${port}: the port is already in use.`,
    },
  );
});

async function greeting(port: number): Promise<{ jetstream: boolean; host: string }> {
  const line = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
  });
  return JSON.parse(line.replace(/^INFO /, ''));
}
