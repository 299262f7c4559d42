import { createHash } from 'node:crypto';

/** A statement with its SQL text. Each connection prepares it once. */
export interface Statement {
  /** The label in metrics. At most 50 bytes. */
  name: string;
  text: string;
  /** Which scans the planner may use. Default: `by-key`. */
  plan?: Plan;
}

/** `by-key`: index scans. `any`: also sequential scans of large parts of a table. */
export type Plan = 'by-key' | 'any';

const preparedNames = new WeakMap<Statement, string>();

/**
 * The name under which connections prepare a statement. It contains a digest of the text: with the label alone, the second of
 * two statements with equal labels would fail on every connection that has prepared the first.
 */
export function preparedName(statement: Statement): string {
  let name = preparedNames.get(statement);
  if (name === undefined) {
    const digest = createHash('sha256').update(statement.text).digest('hex').slice(0, 12);
    name = `${statement.name}-${digest}`;
    preparedNames.set(statement, name);
  }
  return name;
}
