import { CompiledQuery, type ControlledTransaction } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { preparedName, type Statement } from './statement.js';

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
