import type { Answer, Call, Handler, PartsOf } from '@roster/bus';
import type { InputOf, Operation, OutputOf } from '@roster/contracts';
import type { Database, Session } from '../database.js';

/**
 * Answers calls within a session: the pool, or the transaction that also stores the response. Atomic, like `Handler`. The
 * server handles its parts separately.
 */
export interface SessionHandler<O extends Operation> {
  (calls: Call<InputOf<O>>[], session: Session): Promise<Answer<OutputOf<O>>[]>;
  partsOf?: PartsOf<O>;
}

/** Runs a handler outside of transactions: for reads, and for writes whose responses are not stored. */
export function onPool<O extends Operation>(
  database: Database,
  handler: SessionHandler<O>,
): Handler<O> {
  const { partsOf } = handler;
  return Object.assign((calls: Call<InputOf<O>>[]) => handler(calls, database), {
    ...(partsOf && { partsOf }),
  });
}
