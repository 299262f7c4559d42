import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Turns {
  socket: string;
  end(): Promise<void>;
}

/**
 * Lets test files run as long as they weigh at most `capacity` together; AVA itself counts files only. A file sends its
 * weight, is answered with a line when it may run, and runs until its connection ends. Those that wait take turns in their
 * order, except that a light one goes ahead of a heavy one that does not fit yet.
 */
export async function offerTurns(capacity: number): Promise<Turns> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-test-turns-'));
  const socket = join(folder, 'socket');
  const waiting: { weight: number; connection: Socket }[] = [];
  let running = 0;
  const admit = () => {
    for (const one of [...waiting]) {
      // A file heavier than the capacity runs alone.
      if (running > 0 && running + one.weight > capacity) continue;
      waiting.splice(waiting.indexOf(one), 1);
      running += one.weight;
      one.connection.once('close', () => {
        running -= one.weight;
        admit();
      });
      one.connection.write('go\n');
    }
  };
  const server = createServer((connection) => {
    connection.on('error', () => {}); // The file ended.
    createInterface({ input: connection }).once('line', (line) => {
      const one = { weight: Number(line), connection };
      waiting.push(one);
      connection.once('close', () => {
        const at = waiting.indexOf(one);
        if (at >= 0) waiting.splice(at, 1);
      });
      admit();
    });
  });
  server.listen(socket).unref();
  await once(server, 'listening');
  return {
    socket,
    async end() {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
