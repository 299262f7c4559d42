/**
 * Removes from an error the values of the row that PostgreSQL quotes ("Failing row contains …", "Key (email)=(…) already
 * exists") and that MikroORM repeats in message and stack. Errors are logged, and rows must not be.
 */
export function withoutRow(error: unknown): unknown {
  for (let at = error as Quoting | undefined; at instanceof Error; at = at.previous ?? at.cause) {
    const { detail } = at;
    if (detail === undefined) continue;
    at.message = at.message.replaceAll(detail, hidden);
    if (at.stack !== undefined) at.stack = at.stack.replaceAll(detail, hidden);
    delete at.detail;
  }
  return error;
}

interface Quoting {
  message: string;
  stack?: string;
  detail?: string;
  previous?: Quoting;
  cause?: Quoting;
}

const hidden = '(hidden)';
