import type { LogFile } from './log-file.js';

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
