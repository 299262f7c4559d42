import { CompiledQuery, type ControlledTransaction } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Statement } from './statement.js';

// Both by callback: what the driver's own promises leave behind holds on to the next query and its rows. Once one of them
// has grown old, V8 takes all that come after it for alive, and moves them to the old generation with it.

/** A connection of the pool. Whoever takes it releases it. */
export function checkOut(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client) resolve(client);
      else reject(error ?? new Error('The pool gave no connection.'));
    });
  });
}

/** Runs a statement that the connection has prepared under its name, or prepares now. */
export async function runPrepared<Row extends object>(
  client: PoolClient,
  { name, text, plan }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  // `plan` is for the client's planner settings: the driver passes over it.
  const statement = { name, text, plan, values: values as unknown[] };
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      client.query<Row>(statement, (error, result) => {
        if (error) reject(error);
        else resolve(result.rows);
      });
    });
  } catch (error) {
    // The driver's stack ends in the socket that its answer came from; this one leads to who asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** The same on the connection of a transaction. */
export async function runPreparedIn<Row>(
  transaction: ControlledTransaction<unknown>,
  { name, text, plan }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const compiled = CompiledQuery.raw(text, values as unknown[]);
  // Kysely hands on as text what it is given as `sql`, and the driver takes a name with the text.
  const { rows } = await transaction.executeQuery<Row>({
    ...compiled,
    sql: { name, text, plan } as unknown as string,
  });
  return rows;
}
