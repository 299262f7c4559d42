import type { Session, Statement } from '../database.js';

/** Rows that one statement deletes: a fraction of a second of work. */
const rowsMax = 10_000;

/**
 * Deletes rows that have expired in portions, each in a transaction of its own: no row is locked for long, and an interrupted run
 * keeps what it has done.
 *
 * @param statement deletes at most as many rows as its last parameter says, and returns one for each
 * @param values parameters but the last
 */
export async function deleteInPortions(
  session: Session,
  statement: Statement,
  values: readonly unknown[],
): Promise<void> {
  let rows: unknown[];
  do rows = await session.query(statement, [...values, rowsMax]);
  while (rows.length === rowsMax);
}
