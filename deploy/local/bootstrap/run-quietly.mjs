import { spawn } from 'node:child_process';

/** Runs a program without showing its output. If it fails, its output is the error. */
export async function runQuietly(what, command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  }
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let stoppedBy;
  const onSignal = (signal) => {
    stoppedBy = signal;
    forward(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(1);
    });
    child.once('close', resolve);
  });
  for (const signal of signals) process.off(signal, onSignal);
  if (stoppedBy) throw new Error(`${what} was stopped.`);
  if (code !== 0) throw new Error(`${what} failed:\n\n${output.trimEnd()}`);
}
