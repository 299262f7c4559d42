/** What the exit code of a command says. */
export const exitCodes = {
  ok: 0,
  fault: 1,
  usage: 2,
  unreachable: 3,
  access: 4,
  notFound: 5,
  conflict: 6,
  rowsRefused: 7,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command line is invalid, or lacks something. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A command failed for another reason than a fault of the API. The message says what is left, and what to do. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.fault) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The reason with which the signal of a context is aborted. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly exitCode: ExitCode;

  constructor(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT') {
    super(`Ended by ${signal}.`);
    this.exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
}
