import type { LogFile } from './log-file.js';

/** A process that is kept running. */
export interface Part {
  name: string;
  /** Begins to start it. Everything it writes goes to the log. */
  spawn(log: LogFile): Spawned;
}

export interface Spawned {
  /** Rejects, with what went wrong, when it ends before it serves. */
  ready: Promise<void>;
  /** How it ended, in words that follow its name: "ended with code 1". Never rejects. */
  ended: Promise<string>;
  /** Asks it to stop. */
  stop(): void;
  /** Makes an end of it, at once. */
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
