import { Contended, OutcomeUnknown, unavailable } from '@roster/bus';
import { Fault, faultMessages } from '@roster/contracts';
import type { Servers } from './servers.js';

/**
 * Converts the error of a failed statement: to a fault if it concerns the server rather than the statement, otherwise to the
 * same error without values of the row.
 */
export function reportedAs(error: unknown, servers: Servers): unknown {
  if (error instanceof Fault) return error;
  return faultOf(error, servers) ?? withoutRow(error);
}

function faultOf(error: unknown, servers: Servers): Fault | undefined {
  if (isConnectFailure(error, servers)) return databaseUnavailable(error);
  if (isConnectionLoss(error)) return outcomeUnknown(error);
  const { code = '' } = rootOf(error);
  if (contended.test(code)) return new Contended({ reason: whyUnavailable(error), cause: error });
  return exhausted.test(code) ? databaseUnavailable(error) : undefined;
}

/**
 * PostgreSQL canceled and rolled back a statement because of concurrent ones: lock_not_available, deadlock_detected,
 * serialization_failure, query_canceled (`statement_timeout`).
 */
const contended = /^(55P03|40P01|40001|57014)$/;

/**
 * The server cannot execute any such statement at present: insufficient_resources (53…), read_only_sql_transaction. Nothing
 * was changed. A connection to a read-only server is not used again: see `Servers`.
 */
const exhausted = /^(53...|25006)$/;

/** What failed, for traces: the SQLSTATE, or the code of an error of the connection. */
export const failureOf = (error: unknown): string => rootOf(error).code || 'other';

const whyUnavailable = (error: unknown): string =>
  `PostgreSQL is unavailable: ${rootOf(error).message}`;

/** The statement was not executed. */
export const databaseUnavailable = (error: unknown): Fault =>
  unavailable(whyUnavailable(error), error);

const outcomeUnknown = (error: unknown): Fault =>
  new OutcomeUnknown(
    `The connection to the database was lost. The change may have been applied. ${faultMessages.repeatWithKey}`,
    { reason: `lost the connection to PostgreSQL: ${rootOf(error).message}`, cause: error },
  );

/** Name of the unique constraint that a statement violated (SQLSTATE 23505). */
export const violatedUnique = (error: unknown): string | undefined =>
  violatedConstraint(error, '23505');

/** Name of the foreign key that a statement violated (SQLSTATE 23503). */
export const violatedForeignKey = (error: unknown): string | undefined =>
  violatedConstraint(error, '23503');

function violatedConstraint(error: unknown, sqlState: string): string | undefined {
  const { code, constraint } = rootOf(error);
  return code === sqlState ? constraint : undefined;
}

/** No statement was sent. MikroORM and Kysely may have wrapped the error. */
function isConnectFailure(error: unknown, servers: Servers): boolean {
  for (let at = error; at instanceof Error; at = wrappedIn(at))
    if (servers.failuresOf(at)) return true;
  return /timeout exceeded when trying to connect/.test(rootOf(error).message);
}

export function isConnectionLoss(error: unknown): boolean {
  const { code = '', message } = rootOf(error);
  return (
    /^(08...|57P0[1-5]|25P0[34]|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/.test(
      code,
    ) || /Connection terminated|not queryable|Query read timeout/.test(message)
  );
}

interface DriverError {
  code?: string;
  constraint?: string;
  message: string;
}

/** The error of the driver, which MikroORM and Kysely wrap. */
export function rootOf(error: unknown): DriverError {
  let root = error;
  for (let inner = wrappedIn(root); inner; inner = wrappedIn(root)) root = inner;
  return root as DriverError;
}

export const wrappedIn = (error: unknown): unknown => {
  const { previous, cause } = (error ?? {}) as { previous?: unknown; cause?: unknown };
  return previous ?? cause;
};

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
