interface Problem {
  what: string;
  /** Which of the two variables to change. */
  change: 'port' | 'host';
}

const problems: Record<string, Problem> = {
  EADDRINUSE: { what: 'is already in use', change: 'port' },
  EACCES: { what: 'requires privileges that this user does not have', change: 'port' },
  EADDRNOTAVAIL: { what: 'is not an address of this machine', change: 'host' },
  ENOTFOUND: { what: 'has no address', change: 'host' },
  EAI_AGAIN: { what: 'has no address', change: 'host' },
};

/** The same error in one line that names the variable to change; any other as it is. */
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

/** The message is all there is to say. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}
