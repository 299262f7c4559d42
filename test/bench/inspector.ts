import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@roster/testing';
import { processesOf, type PartName } from '../system/processes.js';

/** Options to start a system with, whose processes open an inspector each, on ports of their own. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=0' };

/** The inspector of a running process (Chrome DevTools Protocol). */
export class Inspector {
  readonly #socket: WebSocket;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(home: string, part: PartName): Promise<Inspector> {
    const socket = new WebSocket(await inspectorUrl(home, part));
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
    return new Inspector(socket);
  }

  async send<Result = object>(method: string, params: object = {}): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const id = (this.#id += 1);
    const read = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as { id: number; result: Result; error?: object };
      if (answer.id !== id) return;
      this.#socket.removeEventListener('message', read);
      if (answer.error) reject(new Error(`${method}: ${JSON.stringify(answer.error)}`));
      else resolve(answer.result);
    };
    this.#socket.addEventListener('message', read);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return promise;
  }

  close(): void {
    this.#socket.close();
  }
}

async function inspectorUrl(home: string, part: PartName): Promise<string> {
  const log = join(home, 'logs', `${part}.log`);
  process.kill(processesOf(home, part)[0]!, 'SIGUSR1');
  return eventually(
    () =>
      readFileSync(log, 'utf8')
        .match(/Debugger listening on (ws:\S+)/g)
        ?.at(-1)
        ?.split(' ')
        .at(-1),
    { describe: `the inspector of ${part}` },
  );
}
