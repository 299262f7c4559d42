interface Problem {
  what: string;
  /** Which of the two variables to correct. */
  change: 'port' | 'host';
}

const problems: Record<string, Problem> = {
  EADDRINUSE: { what: 'is already in use', change: 'port' },
  EACCES: { what: 'requires privileges that this user does not have', change: 'port' },
  EADDRNOTAVAIL: { what: 'is not an address of this machine', change: 'host' },
  ENOTFOUND: { what: 'has no address', change: 'host' },
  EAI_AGAIN: { what: 'has no address', change: 'host' },
};

/** Describes the error in one line that names the variable to correct. Other errors are returned unchanged. */
export function explainListening(
  error: unknown,
  portName: string,
  port: number,
  hostName: string,
  host: string,
): unknown {
  const { what, change } = problems[(error as NodeJS.ErrnoException).code ?? ''] ?? {};
  if (what === undefined) return error;
  return new CannotListen(
    change === 'port'
      ? `Port ${port} of ${host} ${what}. Choose another with ${portName}.`
      : `Host ${host} ${what}. Choose another with ${hostName}.`,
  );
}

/** The message is complete without a stack. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}
