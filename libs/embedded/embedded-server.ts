import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Program, WardenOrder, WardenReport } from './warden.js';

export interface EmbeddedServer {
  url: string;
  port: number;
  /** The real server process, not its warden. */
  pid: number;
  /** Resolves when the server process has exited, for whatever reason. Never rejects. */
  exited: Promise<Exit>;
  /** Stops the server gracefully, and kills it after 3 s. Resolves when the process has exited. */
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

/** The server exited before it was ready. `lines` are its last lines of output. */
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
 * Starts a server under a warden, a separate process that stops the server when this process exits, even if it is
 * killed by SIGKILL.
 *
 * Resolves when a line of the server's output satisfies `isReady`. There is no deadline, because the duration of crash
 * recovery is not known. Throws `LaunchFailure` when the server exits before it is ready.
 */
export async function launch(
  options: LaunchOptions,
): Promise<Omit<EmbeddedServer, 'url' | 'port'>> {
  const { process: warden, spawned, ready, exited, gone } = startWarden(options);
  order(warden, { type: 'launch', program: options.program });
  // The pid and the output arrive over different channels, in any order.
  const [pid] = await Promise.all([spawned, ready]);
  return {
    pid,
    exited,
    async stop() {
      order(warden, { type: 'stop' });
      await gone;
    },
    kill(signal) {
      order(warden, { type: 'signal', signal });
    },
  };
}

interface WardenProcess {
  process: ChildProcess;
  /** The pid of the server. */
  spawned: Promise<number>;
  ready: Promise<void>;
  exited: Promise<Exit>;
  /** Resolves when the warden has exited. */
  gone: Promise<void>;
}

function startWarden({ program, isReady, log }: LaunchOptions): WardenProcess {
  // A separate session: Ctrl-C in the terminal reaches neither the warden nor the server.
  const warden = spawn(process.execPath, [fileURLToPath(new URL('./warden.js', import.meta.url))], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH },
  });
  const { failure, gone, spawned, exited } = observeServer(warden);
  const ready = Promise.withResolvers<void>();
  const lines = keepLastLines(warden, (line) => {
    log?.(line);
    if (isReady(line)) ready.resolve();
  });
  void gone.then(() => {
    const reason = new LaunchFailure(program.command, failure(), lines);
    ready.reject(reason);
    spawned.reject(reason);
  });
  return { process: warden, spawned: spawned.promise, ready: ready.promise, exited, gone };
}

/** The last lines of a process's output, updated as they arrive. */
function keepLastLines(process: ChildProcess, onLine: (line: string) => void): string[] {
  const lines: string[] = [];
  for (const output of [process.stdout, process.stderr]) {
    if (!output) continue;
    createInterface({ input: output }).on('line', (line) => {
      lines.push(line);
      if (lines.length > linesKept) lines.shift();
      onLine(line);
    });
  }
  return lines;
}

/** The life of the server, as its warden reports it. */
function observeServer(warden: ChildProcess) {
  const spawned = Promise.withResolvers<number>();
  const exited = Promise.withResolvers<Exit>();
  const gone = Promise.withResolvers<void>();
  let pid: number | undefined;
  let exit: Exit | undefined;
  let failure = 'its warden was killed';

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
  });
  return { spawned, exited: exited.promise, gone: gone.promise, failure: () => failure };
}

function order(warden: ChildProcess, message: WardenOrder): void {
  // A warden that has exited needs no orders: its 'close' event settles everything.
  if (warden.connected) warden.send(message, () => {});
}

function killOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}
