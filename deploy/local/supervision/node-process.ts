import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { describeExit, type Part } from './part.js';

export interface NodeProcess {
  name: string;
  script: string;
  env: NodeJS.ProcessEnv;
  /** Called at every start, with the port of the process if it has one. */
  onReady?: (ready: { port?: number | undefined }) => void;
}

/** The flags without comments. */
const flags = readFileSync(new URL('../../../node-flags', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('--'));

/** By default, the C library keeps a separate heap for each thread: 10 to 15 MiB under mixed loads. */
const memory = { MALLOC_ARENA_MAX: '1' };

/** Where V8 keeps the compiled code of the bundles, for all homes. A build removes it. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../image/dist/compile-cache', import.meta.url)),
};

const readyMessage = z.object({ type: z.literal('ready'), port: z.number().optional() });

/** A process of this system, run by the Node that runs this one. It reports over IPC when it is ready. */
export function nodeProcess({ name, script, env, onReady }: NodeProcess): Part {
  return {
    name,
    spawn(log) {
      // A process group of its own, so that Ctrl-C does not reach it: the supervisor stops it in order.
      const child = spawn(process.execPath, [...flags, script], {
        detached: true,
        env: { ...memory, ...compileCache, ...env },
        stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
      });
      const ended = new Promise<string>((resolve) => {
        child.once('error', (error) => resolve(`could not be started: ${error.message}`));
        child.once('exit', (code, signal) => resolve(describeExit({ code, signal })));
      });
      const ready = new Promise<void>((resolve, reject) => {
        child.on('message', (message) => {
          const parsed = readyMessage.safeParse(message);
          if (!parsed.success) return;
          onReady?.(parsed.data);
          resolve();
        });
        void ended.then((how) => reject(new Error(`${name} ${how}`)));
      });
      ready.catch(() => {});
      return {
        ready,
        ended,
        stop: () => child.kill('SIGTERM'),
        kill() {
          if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
            return;
          try {
            process.kill(-child.pid, 'SIGKILL');
          } catch {
            // The process has already exited.
          }
        },
      };
    },
  };
}
