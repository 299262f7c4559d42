import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Program, WardenOrder, WardenReport } from './warden.js';

export interface EmbeddedServer {
  url: string;
  port: number;
  /** Of the real server process, not of its warden. */
  pid: number;
  /** Resolves when the server process has ended, whatever ended it. Never rejects. */
  exited: Promise<Exit>;
  /** Stops the server in an orderly way, killing it after 3 s. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Sends a signal to the real server process. */
  kill(signal: NodeJS.Signals): void;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface LaunchOptions {
  program: Program;
  isReady: (line: string) => boolean;
  log?: ((line: string) => void) | undefined;
}

/** The server ended before it was ready. `lines` are the last it wrote. */
export class LaunchFailure extends Error {
  override name = 'LaunchFailure';

  constructor(
    command: string,
    reason: string,
    readonly lines: string[],
  ) {
    super([`${command} did not start: ${reason}`, ...lines].join('\n  '));
  }

  mentions(text: string): boolean {
    return this.lines.some((line) => line.includes(text));
  }
}

const linesKept = 30;

/**
 * Starts a server under a warden, a process of its own that outlives this one just long enough to stop the
 * server: so nothing is left behind, even when this process is killed by SIGKILL.
 *
 * Resolves when a line of the server's output satisfies `isReady`. There is no deadline, because recovery after
 * a crash takes as long as it takes. Throws `LaunchFailure` when the server ends before.
 */
export async function launch({
  program,
  isReady,
  log,
}: LaunchOptions): Promise<Omit<EmbeddedServer, 'url' | 'port'>> {
  // Its own session, so that Ctrl-C in the terminal reaches neither the warden nor the server.
  const warden = spawn(process.execPath, [fileURLToPath(new URL('./warden.js', import.meta.url))], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH },
  });

  let pid: number | undefined;
  let exit: Exit | undefined;
  let failure = 'its warden was killed';
  const lines: string[] = [];

  const spawned = Promise.withResolvers<number>();
  const ready = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<Exit>();
  const gone = Promise.withResolvers<void>();

  const onLine = (line: string) => {
    lines.push(line);
    if (lines.length > linesKept) lines.shift();
    log?.(line);
    if (isReady(line)) ready.resolve();
  };
  for (const output of [warden.stdout, warden.stderr]) {
    if (output) createInterface({ input: output }).on('line', onLine);
  }

  warden.on('message', (report: WardenReport) => {
    if (report.type === 'spawned') {
      pid = report.pid;
      spawned.resolve(report.pid);
    }
    if (report.type === 'failed') failure = report.message;
    if (report.type === 'exited') {
      exit = { code: report.code, signal: report.signal };
      failure = exit.signal ? `it was ended by ${exit.signal}` : `it ended with code ${exit.code}`;
      exited.resolve(exit);
    }
  });
  warden.on('error', (error) => {
    failure = error.message;
    if (warden.pid === undefined) gone.resolve();
  });
  warden.on('close', () => gone.resolve());

  void gone.promise.then(() => {
    if (!exit && pid !== undefined) killOrphan(pid);
    exited.resolve(exit ?? { code: null, signal: 'SIGKILL' });
    const reason = new LaunchFailure(program.command, failure, lines);
    ready.reject(reason);
    spawned.reject(reason);
  });

  order(warden, { type: 'launch', program });
  // The pid and the output come by different ways: the line may be here first.
  const [serverPid] = await Promise.all([spawned.promise, ready.promise]);

  return {
    pid: serverPid,
    exited: exited.promise,
    async stop() {
      order(warden, { type: 'stop' });
      await gone.promise;
    },
    kill(signal) {
      order(warden, { type: 'signal', signal });
    },
  };
}

function order(warden: ChildProcess, message: WardenOrder): void {
  // A warden that is already gone has nothing left to do: its 'close' says so.
  if (warden.connected) warden.send(message, () => {});
}

function killOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
