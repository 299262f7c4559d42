import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { runProgram } from '../cluster/kubectl.js';
import type { Target } from '../cluster/exec.js';

test('reports for each target whether it accepts a connection, using only its own text', async (t) => {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const program = await readFile(new URL('../pods/probe.js', import.meta.url), 'utf8');
  const targets: Target[] = [
    { name: 'open', host: '127.0.0.1', port, open: true },
    // No process listens on these privileged ports.
    { name: 'closed', host: '127.0.0.1', port: 1, open: false },
  ];
  const { stdout } = await runProgram(
    process.execPath,
    ['--input-type=module', '-', JSON.stringify(targets)],
    { input: program },
  );
  t.deepEqual(JSON.parse(stdout), targets);
});
