/**
 * The program of the warden. It starts one server, relays its output, and stops it on request, or when the channel to
 * the process that started it closes, which also happens when that process is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface Program {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Another account to run as. Requires root. */
  account?: { uid: number; gid: number } | undefined;
  stopSignal: NodeJS.Signals;
  /** A directory to remove after the server has exited. */
  scratchDir?: string | undefined;
}

export type WardenOrder =
  | { type: 'launch'; program: Program }
  | { type: 'signal'; signal: NodeJS.Signals }
  | { type: 'stop' };

export type WardenReport =
  | { type: 'spawned'; pid: number }
  | { type: 'failed'; message: string }
  | { type: 'exited'; code: number | null; signal: NodeJS.Signals | null };

const stopTimeoutMs = 3_000;
const lastOutputTimeoutMs = 200;

let server: ChildProcess | undefined;

process.on('message', (order: WardenOrder) => {
  if (order.type === 'launch') launch(order.program);
  if (order.type === 'signal') server?.kill(order.signal);
  if (order.type === 'stop') stop();
});
process.on('disconnect', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

// The reader of the relayed output may exit before the server.
process.stdout.on('error', () => {});

let stopSignal: NodeJS.Signals = 'SIGTERM';

function launch(program: Program): void {
  stopSignal = program.stopSignal;
  const started = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: program.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...program.account,
  });
  const outputEnded = new Promise<void>((resolve) => started.once('close', () => resolve()));

  started.stdout.on('data', relay);
  started.stderr.on('data', relay);
  started.once('spawn', () => {
    server = started;
    if (started.pid !== undefined) report({ type: 'spawned', pid: started.pid });
  });
  started.once('error', (error) => {
    report({ type: 'failed', message: error.message });
    if (started.pid === undefined) void leave(program);
  });
  started.once('exit', (code, signal) => {
    report({ type: 'exited', code, signal });
    // Descendants of a killed server may keep its output open: do not wait longer for them.
    void Promise.race([outputEnded, delay(lastOutputTimeoutMs)]).then(() => leave(program));
  });
}

function stop(): void {
  if (!server) process.exit();
  const stopping = server;
  stopping.kill(stopSignal);
  setTimeout(() => stopping.kill('SIGKILL'), stopTimeoutMs);
}

async function leave({ scratchDir }: Program): Promise<void> {
  if (scratchDir) await rm(scratchDir, { recursive: true, force: true });
  process.exit();
}

function relay(output: Buffer): void {
  process.stdout.write(output);
}

function report(message: WardenReport): void {
  if (process.connected) process.send?.(message, () => {});
}
