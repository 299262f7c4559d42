import type { LogFile } from './log-file.js';
import type { EmbeddedServer } from '@roster/embedded';

/** A process that the supervisor keeps running. */
export interface Part {
  name: string;
  /** Starts it without waiting. Its output goes to the log. */
  spawn(log: LogFile): Spawned;
}

export interface Spawned {
  /** Rejects with the reason when it exits before it is ready. */
  ready: Promise<void>;
  /** The reason for its exit, as text that follows its name: "ended with code 1". Never rejects. */
  ended: Promise<string>;
  /** Requests a graceful shutdown. */
  stop(): void;
  /** Kills it immediately. */
  kill(): void;
}

export function describeExit({
  code,
  signal,
}: {
  code: number | null;
  signal: NodeJS.Signals | null;
}): string {
  return signal ? `was ended by ${signal}` : `ended with code ${code}`;
}

/** An embedded server as a part. Each start uses the same data and, from the second on, the same port. */
export function embeddedPart(
  name: string,
  start: (options: {
    port: number | undefined;
    log: (line: string) => void;
  }) => Promise<EmbeddedServer>,
): { part: Part; url: () => string } {
  let last: EmbeddedServer | undefined;
  return {
    url() {
      if (!last) throw new Error(`${name} has not started yet.`);
      return last.url;
    },
    part: {
      name,
      spawn(log) {
        const started = start({ port: last?.port, log: (line) => log.write(`${line}\n`) });
        const ready = started.then((server) => void (last = server));
        ready.catch(() => {});
        return {
          ready,
          ended: started.then(
            async (server) => describeExit(await server.exited),
            // The caller appends its last log lines.
            (error: Error) => `could not be started: ${error.message.split('\n')[0]}`,
          ),
          stop: () =>
            void started.then(
              (server) => server.stop(),
              () => {},
            ),
          kill: () =>
            void started.then(
              (server) => server.kill('SIGKILL'),
              () => {},
            ),
        };
      },
    },
  };
}
