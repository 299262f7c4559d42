import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What a test file sends, as a line of JSON, to the socket that `ROSTER_TEST_SHARED` names. */
export interface SharedCommand {
  script: string;
  env: NodeJS.ProcessEnv;
}

export interface SharedProcess {
  socket: string;
  /** Ends the process, if a test file asked for it, and removes its files. */
  end(): Promise<void>;
}

/**
 * A process that test files share. The first file that asks has its command started, with `ROSTER_HOME` in a new folder; each
 * file is answered with that folder, and the connection ends with the output of the process when it exits. The process
 * watches its IPC channel, so it also ends when the run is killed.
 */
export async function offerSharedProcess(): Promise<SharedProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-test-shared-'));
  const socket = join(folder, 'socket');
  const home = join(folder, 'home');
  let started: { child: ChildProcess; exited: Promise<string> } | undefined;
  const server = createServer((connection) => {
    connection.on('error', () => {}); // The file ended.
    createInterface({ input: connection }).once('line', (line) => {
      started ??= start(JSON.parse(line) as SharedCommand, home);
      connection.write(`${home}\n`);
      void started.exited.then((output) => connection.end(output));
    });
  });
  server.listen(socket).unref();
  await once(server, 'listening');
  return {
    socket,
    async end() {
      server.close();
      started?.child.kill();
      await started?.exited;
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

function start({ script, env }: SharedCommand, home: string) {
  const child = spawn(process.execPath, [script], {
    env: { ...env, ROSTER_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, 'exit').then(() => output);
  return { child, exited };
}
