import { createHash } from 'node:crypto';

/** A statement with its SQL text. Each connection prepares it once. */
export interface Statement {
  /** The label in metrics. ASCII. */
  name: string;
  text: string;
  /** Which scans the planner may use. Default: `by-key`. */
  plan?: Plan;
}

/** `by-key`: index scans. `any`: also sequential scans of large parts of a table. */
export type Plan = 'by-key' | 'any';

/** PostgreSQL cuts longer names. */
const nameBytesMax = 63;
const digestBytes = 12;

const preparedNames = new WeakMap<Statement, string>();

/**
 * The name under which connections prepare a statement. It contains a digest of the text: with the label alone, the second of
 * two statements with equal labels would fail on every connection that has prepared the first. A long label is cut, not the digest.
 */
export function preparedName(statement: Statement): string {
  let name = preparedNames.get(statement);
  if (name === undefined) {
    const digest = createHash('sha256').update(statement.text).digest('hex').slice(0, digestBytes);
    name = `${statement.name.slice(0, nameBytesMax - digestBytes - 1)}-${digest}`;
    preparedNames.set(statement, name);
  }
  return name;
}
