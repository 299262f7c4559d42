import { createHash } from 'node:crypto';
import { CompiledQuery, type ControlledTransaction } from 'kysely';
import type { Pool, PoolClient } from 'pg';

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

// Callbacks instead of the driver's promises, which keep references to the next query and its rows. Once one of them is in
// the old generation, V8 treats all later ones as live and promotes them as well.

/** A connection of the pool. The caller must release it. */
export function checkOut(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client) resolve(client);
      else reject(error ?? new Error('The pool gave no connection.'));
    });
  });
}

/** Runs a statement, which the connection prepares on first use. */
export async function runPrepared<Row extends object>(
  client: PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { text, plan } = statement;
  // `plan` is for the planner settings of the client; the driver ignores it.
  const query = { name: preparedName(statement), text, plan, values: values as unknown[] };
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      client.query<Row>(query, (error, result) => {
        if (error) reject(error);
        else resolve(result.rows);
      });
    });
  } catch (error) {
    // The stack of the driver's error ends at the socket. This one contains the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** The same on the connection of a transaction. */
export async function runPreparedIn<Row>(
  transaction: ControlledTransaction<unknown>,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { text, plan } = statement;
  const compiled = CompiledQuery.raw(text, values as unknown[]);
  // Kysely passes the text of `sql` on unchanged, and the driver reads a name from the same object.
  const { rows } = await transaction.executeQuery<Row>({
    ...compiled,
    sql: { name: preparedName(statement), text, plan } as unknown as string,
  });
  return rows;
}
